import { indentJson } from './show-readable-body.ts'

/** A body as somebody edits it, and how what they wrote is sent. */
export interface EditableBody {
  readonly text: string
  readonly toSend: (edited: string) => string
}

/** JSON without spaces is edited line by line and sent without spaces again: what nobody touched stays as it was. */
export function editableBody(original: string): EditableBody {
  const indented = indentJson(original)
  if (indented === undefined || compactJson(original) !== original)
    return { text: original, toSend: (edited) => edited }
  return {
    text: indented,
    toSend: (edited) => (indentJson(edited) === undefined ? edited : compactJson(edited)),
  }
}

function compactJson(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"|\s+/g, (all) => (all.startsWith('"') ? all : ''))
}
