import { InvalidArgumentError } from '../../errors.ts'
import { readProperty } from '../../wire/properties.ts'
import { previewRedrive, type RedrivePreview } from './preview-redrive.ts'
import type { RedriveOptions } from './redrive-options.ts'

/** What a re-drive with an edit would do. */
export interface EditPreview extends RedrivePreview {
  /** The id of the message that would be edited; missing if none matches. */
  readonly edited?: string
}

/**
 * Plans an edit, and refuses it if it is not clear which message is meant.
 * @example
 * ```ts
 * const preview = await previewEdit(compileRedrive({ queue: 'orders.dlq', where: 'id:42', edit: { body: '{}' } }, { ...broker, by: 'ann' }))
 * ```
 */
export async function previewEdit(options: RedriveOptions): Promise<EditPreview> {
  let edited: string | undefined
  const preview = await previewRedrive(options, ({ properties }) => {
    edited ??= readProperty(properties, 'messageId') ?? '(a message without an id)'
  })
  if (preview.matching > 1) throw severalMatch(preview)
  return edited === undefined ? preview : { ...preview, edited }
}

/** What is right for one message is hardly right for the next. */
function severalMatch({ matching, isWhole }: RedrivePreview): InvalidArgumentError {
  return new InvalidArgumentError(
    `Nothing was moved: ${isWhole ? '' : 'at least '}${matching} messages match, and an edit is for one. Name it with a filter, such as id:42; a peek shows what tells them apart.`,
  )
}
