import Type from 'typebox'
import type * as Contract from './contract.ts'
import { closed, type Shape, shape, text, textOrNull } from './shape.ts'
import { callerFields } from './shapes.ts'

export const currentSession: Shape<Contract.CurrentSession> = shape<Contract.CurrentSession>()(
  Type.Object({ ...callerFields, csrfToken: textOrNull, expiresAt: textOrNull }),
)

export const loginWays: Shape<Contract.LoginWays> = shape<Contract.LoginWays>()(
  Type.Object({ isOpen: Type.Boolean(), hasAccounts: Type.Boolean(), oidcLogin: textOrNull }),
)

export const loginQuery: Shape<Contract.LoginQuery> = shape<Contract.LoginQuery>()(
  Type.Object({ returnTo: Type.Optional(Type.String({ minLength: 1, maxLength: 2048 })) }, closed),
)

// Not closed: providers add what they like, such as session_state.
const said = Type.Optional(text)
export const loginAnswerQuery: Shape<Contract.LoginAnswerQuery> = shape<Contract.LoginAnswerQuery>()(
  Type.Object({ code: said, state: said, iss: said, error: said, error_description: said }),
)
