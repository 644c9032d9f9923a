import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../api/api.ts'
import { dataOf } from '../api/api-problem.ts'
import { forgetBearerToken, keepBearerToken } from '../api/bearer-token.ts'
import { changePerson } from './change-person.ts'
import { LoginForm, TextField } from './login-form.tsx'

export function TokenLogin(): ReactNode {
  const client = useQueryClient()
  const login = useMutation({
    mutationFn: async (token: string) => {
      keepBearerToken(token)
      return dataOf(await api.GET('/api/v1/session'))
    },
    onSuccess: (session) => changePerson(client, session),
    onError: forgetBearerToken,
  })
  return (
    <LoginForm
      error={login.error}
      isBusy={login.isPending}
      onSubmit={(form) => login.mutate(String(form.get('token')).trim())}
    >
      <TextField name="token" label="Token" type="password" autoComplete="off" />
      <p className="text-quiet">It is kept until you close this tab.</p>
    </LoginForm>
  )
}
