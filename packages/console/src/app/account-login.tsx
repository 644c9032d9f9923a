import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../api/api.ts'
import { dataOf, done } from '../api/api-problem.ts'
import { changePerson } from './change-person.ts'
import { LoginForm, TextField } from './login-form.tsx'

export function AccountLogin(): ReactNode {
  const client = useQueryClient()
  const login = useMutation({
    mutationFn: async (body: { readonly username: string; readonly password: string }) => {
      done(await api.POST('/api/v1/session', { body }))
      return dataOf(await api.GET('/api/v1/session'))
    },
    onSuccess: (session) => changePerson(client, session),
  })
  return (
    <LoginForm
      error={login.error}
      isBusy={login.isPending}
      onSubmit={(form) =>
        login.mutate({ username: String(form.get('username')), password: String(form.get('password')) })
      }
    >
      <TextField name="username" label="Name" autoComplete="username" />
      <TextField name="password" label="Password" type="password" autoComplete="current-password" />
    </LoginForm>
  )
}
