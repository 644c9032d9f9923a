import Type from 'typebox'
import type * as Contract from './contract.ts'
import { type Shape, shape, textOrNull } from './shape.ts'
import { callerFields } from './shapes.ts'

export const currentSession: Shape<Contract.CurrentSession> = shape<Contract.CurrentSession>()(
  Type.Object({ ...callerFields, csrfToken: textOrNull, expiresAt: textOrNull }),
)
