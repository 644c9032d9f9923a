// The folders of the library in the order of their imports. The import rules and the files of the package both come from
// this list, so no file of the package can load another in a circle. To add a folder, put it in its row.

/** The modules beside the folders, which all of them may import. */
export const leaves = ['errors', 'events', 'world', 'own-timer', 'clock', 'join-signals', 'fifo']

/** A folder sees the rows above its own and the leaves. Folders in one row do not see each other. */
export const rows = [
  ['wire'],
  ['message'],
  ['topology'],
  ['broker'],
  ['publisher', 'deploy'],
  ['consumer', 'recovery'],
]

/** The embedded broker stands beside the rows: it shares the bytes and the message rules, nothing else. */
export const besideTheRows = { embedded: ['wire', 'message'] }
