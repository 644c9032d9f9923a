/** Of the audit log: all servers share it with the command line. */
export const auditStream = 'warren.audit'
/** Of the tasks that all servers share. */
export const taskStream = 'warren.tasks'
/** Of what the servers tell each other. */
export const noticeStream = 'warren.notices'

/** Streams that Warren keeps for itself on a broker. No topology declares them. */
export const ownStreams: ReadonlySet<string> = new Set([auditStream, taskStream, noticeStream])
