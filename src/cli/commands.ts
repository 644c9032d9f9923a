import type { CliCommand } from './command.ts'
import { apply } from './commands/apply.ts'
import { check } from './commands/check.ts'
import { demo } from './commands/demo.ts'
import { diagram } from './commands/diagram.ts'
import { dlqCauses } from './commands/dlq-causes.ts'
import { dlqList } from './commands/dlq-list.ts'
import { dlqPeek } from './commands/dlq-peek.ts'
import { dlqRedrive } from './commands/dlq-redrive.ts'
import { exportDefinitions } from './commands/export.ts'
import { init } from './commands/init.ts'
import { plan } from './commands/plan.ts'
import { recover } from './commands/recover.ts'

/** Every command, in the order of --help. A new one is a file in commands/ and a line here. */
export const commands: readonly CliCommand[] = [
  init,
  check,
  diagram,
  exportDefinitions,
  plan,
  apply,
  dlqList,
  dlqCauses,
  dlqPeek,
  dlqRedrive,
  recover,
  demo,
]
