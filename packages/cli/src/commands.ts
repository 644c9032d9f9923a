import type { CliCommand } from './command.ts'
import { apply } from './commands/apply.ts'
import { audit } from './commands/audit.ts'
import { broker } from './commands/broker.ts'
import { check } from './commands/check.ts'
import { completion } from './commands/completion.ts'
import { consoleCommand } from './commands/console.ts'
import { deliver } from './commands/deliver.ts'
import { demo } from './commands/demo.ts'
import { diagram } from './commands/diagram.ts'
import { dlqBackup } from './commands/dlq-backup.ts'
import { dlqCauses } from './commands/dlq-causes.ts'
import { dlqDiscard } from './commands/dlq-discard.ts'
import { dlqList } from './commands/dlq-list.ts'
import { dlqPeek } from './commands/dlq-peek.ts'
import { dlqRedrive } from './commands/dlq-redrive.ts'
import { dlqRestore } from './commands/dlq-restore.ts'
import { dlqSnapshot } from './commands/dlq-snapshot.ts'
import { dlqVerify } from './commands/dlq-verify.ts'
import { exportDefinitions } from './commands/export.ts'
import { init } from './commands/init.ts'
import { plan } from './commands/plan.ts'
import { recover } from './commands/recover.ts'
import { serve } from './commands/serve.ts'

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
  dlqVerify,
  dlqSnapshot,
  dlqBackup,
  dlqRestore,
  dlqDiscard,
  recover,
  serve,
  consoleCommand,
  audit,
  deliver,
  broker,
  demo,
  completion,
]
