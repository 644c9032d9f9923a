import { testBlockedClients } from './blocked-clients.ts'
import { testLateLetters } from './late-letters.ts'
import { testLateSettling } from './late-settling.ts'
import { describeOnOwnNodes } from './on-own-nodes.ts'
import { testRefusedLetters } from './refused-letters.ts'
import { testWholeDefinitions } from './whole-definitions.ts'

describeOnOwnNodes('a broker of its own', (open) => {
  testLateSettling(open)
  testLateLetters(open)
  testRefusedLetters(open)
  testWholeDefinitions(open)
  testBlockedClients(open)
})
