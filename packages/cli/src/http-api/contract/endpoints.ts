import type * as Contract from './contract.ts'
import * as dlqShapes from './dlq-shapes.ts'
import type { Endpoint } from './endpoint.ts'
import * as listShapes from './list-shapes.ts'
import { type OidcEndpoints, oidcEndpoints } from './oidc-endpoints.ts'
import * as requests from './requests.ts'
import * as sessionShapes from './session-shapes.ts'
import * as shapes from './shapes.ts'
import * as topologyShapes from './topology-shapes.ts'

export interface Endpoints extends OidcEndpoints {
  readonly openSession: Endpoint<undefined, undefined, Contract.Credentials, Contract.OpenedSession>
  readonly closeSession: Endpoint
  readonly showSession: Endpoint<undefined, undefined, undefined, Contract.CurrentSession>
  readonly listLoginWays: Endpoint<undefined, undefined, undefined, Contract.LoginWays>
  readonly myPermissions: Endpoint<undefined, undefined, undefined, Contract.MyPermissions>
  readonly brokerState: Endpoint<undefined, undefined, undefined, Contract.BrokerState>
  readonly listDlqs: Endpoint<undefined, undefined, undefined, Contract.DlqList>
  readonly listCauses: Endpoint<Contract.QueueParams, Contract.CausesQuery, undefined, Contract.CauseList>
  readonly listMessages: Endpoint<
    Contract.QueueParams,
    Contract.MessageQuery,
    undefined,
    Contract.MessagePage
  >
  readonly showMessage: Endpoint<Contract.MessageParams, undefined, undefined, Contract.MessageDetail>
  readonly editMessage: Endpoint<
    Contract.MessageParams,
    undefined,
    Contract.MessageRedriveRequest,
    Contract.Task
  >
  readonly showHistory: Endpoint<
    Contract.QueueParams,
    Contract.HistoryQuery,
    undefined,
    Contract.DepthHistory
  >
  readonly listHistory: Endpoint<undefined, Contract.HistoryQuery, undefined, Contract.HistoryList>
  readonly listTraffic: Endpoint<undefined, undefined, undefined, Contract.QueueTrafficList>
  readonly downloadBackup: Endpoint<Contract.QueueParams, Contract.FilterQuery>
  readonly discardMessages: Endpoint<
    Contract.QueueParams,
    undefined,
    Contract.DiscardRequest,
    Contract.Discarded | Contract.Approval
  >
  readonly listBackups: Endpoint<undefined, Contract.BackupQuery, undefined, Contract.BackupList>
  readonly fetchBackup: Endpoint<Contract.BackupParams>
  readonly deleteBackup: Endpoint<Contract.BackupParams, Contract.DeleteBackupQuery>
  readonly restoreBackup: Endpoint<undefined, Contract.RestoreQuery, undefined, Contract.Restored>
  readonly planRedrive: Endpoint<undefined, undefined, Contract.RedriveRequest, Contract.RedrivePlan>
  readonly startRedrive: Endpoint<
    undefined,
    undefined,
    Contract.RedriveRequest,
    Contract.Task | Contract.Approval
  >
  readonly listApprovals: Endpoint<undefined, Contract.ApprovalQuery, undefined, Contract.ApprovalList>
  readonly showApproval: Endpoint<Contract.ApprovalParams, undefined, undefined, Contract.Approval>
  readonly grantApproval: Endpoint<Contract.ApprovalParams, undefined, undefined, Contract.Approval>
  readonly refuseApproval: Endpoint<Contract.ApprovalParams, undefined, undefined, Contract.Approval>
  readonly listTasks: Endpoint<undefined, Contract.TaskQuery, undefined, Contract.TaskList>
  readonly showTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly pauseTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly resumeTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly cancelTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly watchTask: Endpoint<Contract.TaskParams>
  readonly watchEvents: Endpoint<undefined, Contract.EventsQuery>
  readonly showReceipt: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Receipt>
  readonly showTopology: Endpoint<undefined, undefined, undefined, Contract.CompiledTopology>
  readonly showLiveTopology: Endpoint<undefined, undefined, undefined, Contract.LiveTopology>
  readonly planTopology: Endpoint<undefined, undefined, undefined, Contract.TopologyPlan>
  readonly showProblems: Endpoint<undefined, undefined, undefined, Contract.TopologyProblems>
  readonly applyTopology: Endpoint<
    undefined,
    undefined,
    Contract.ApplyRequest,
    Contract.ApplyResult | Contract.Approval
  >
  readonly start: Endpoint<undefined, undefined, undefined, Contract.StartPage>
  readonly isAlive: Endpoint
  readonly isReady: Endpoint
  readonly metrics: Endpoint
  readonly listAudit: Endpoint<undefined, Contract.AuditQuery, undefined, Contract.AuditPage>
  readonly adminQueues: Endpoint<undefined, undefined, undefined, Contract.AdminQueues>
  readonly adminMessages: Endpoint<
    Contract.QueueParams,
    Contract.AdminMessagesQuery,
    undefined,
    Contract.AdminMessages
  >
  readonly adminRedrive: Endpoint<
    Contract.QueueParams,
    undefined,
    Contract.AdminRedriveRequest,
    Contract.AdminRedrive
  >
}

const { queueParams, taskParams, messageParams } = shapes
const taskPath = '/api/v1/tasks/:id'
const approvalPath = '/api/v1/approvals/:id'
const topologyPath = '/api/v1/topology'

const eventsDescription = [
  'The name of an event is its topic, and its data is `{ isWhole, items, gone }`: the items are those of the list of the same name.',
  'With `isWhole` they are the whole list; otherwise they are new or replace those with the same `id` (in dlqs and queues: `queue`), and those named in `gone` have left the list.',
  'The first event of a topic is whole. Send the id of the last event as `last-event-id` to get only what has changed since; where a server does not remember, it sends the whole list.',
  'The topic `backups` needs the permission `dlq:backup`.',
].join(' ')

/** The whole API. Routes, validation, OpenAPI, and the tests of who may what are made from this list. */
export const endpoints: Endpoints = {
  openSession: {
    ...{ method: 'POST', path: '/api/v1/session', tag: 'session', needs: 'anyone', status: 201 },
    summary: 'Log a browser in with an account of RabbitMQ; sets an http-only cookie',
    ...{ body: shapes.credentials, answer: shapes.openedSession },
  },
  closeSession: {
    ...{ method: 'DELETE', path: '/api/v1/session', tag: 'session', needs: 'known' },
    summary: 'Log the browser out',
  },
  showSession: {
    ...{ method: 'GET', path: '/api/v1/session', tag: 'session', needs: 'known' },
    summary: 'Who is logged in, with the token of their session; only for pages of this server',
    answer: sessionShapes.currentSession,
  },
  listLoginWays: {
    ...{ method: 'GET', path: '/api/v1/session/ways', tag: 'session', needs: 'anyone' },
    summary: 'How a browser can log in here',
    answer: sessionShapes.loginWays,
  },
  ...oidcEndpoints,
  myPermissions: {
    ...{ method: 'GET', path: '/api/v1/my/permissions', tag: 'session', needs: 'known' },
    summary: 'Who you are and what you may call',
    answer: shapes.myPermissions,
  },
  brokerState: {
    ...{ method: 'GET', path: '/api/v1/broker', tag: 'broker', needs: 'dlq:read' },
    summary: 'Version, connection and alarms of the broker',
    answer: shapes.brokerState,
  },
  listDlqs: {
    ...{ method: 'GET', path: '/api/v1/dlqs', tag: 'dead letters', needs: 'dlq:read' },
    summary: 'Dead-letter queues with their depth',
    answer: shapes.dlqList,
  },
  listCauses: {
    ...{ method: 'GET', path: '/api/v1/dlqs/:queue/causes', tag: 'dead letters', needs: 'dlq:read' },
    summary: 'Why the messages of a queue died, the most frequent cause first',
    ...{ params: queueParams, query: shapes.causesQuery, answer: shapes.causeList },
  },
  listMessages: {
    ...{ method: 'GET', path: '/api/v1/dlqs/:queue/messages', tag: 'dead letters', needs: 'dlq:read' },
    summary: 'Messages by filter, page by page, from the head of the queue',
    ...{ params: queueParams, query: shapes.messageQuery, answer: shapes.messagePage },
  },
  showMessage: {
    ...{ method: 'GET', path: '/api/v1/dlqs/:queue/messages/:key', tag: 'dead letters', needs: 'dlq:read' },
    summary: 'One message with its headers and their types, its deaths and its body',
    ...{ params: messageParams, answer: shapes.messageDetail },
  },
  editMessage: {
    ...{ method: 'POST', path: '/api/v1/dlqs/:queue/messages/:key/redrive', tag: 'redrives' },
    ...{ needs: 'dlq:redrive', status: 202 },
    summary: 'Put one message back, with changes if you like; what it was is kept in a header',
    ...{
      params: messageParams,
      body: requests.messageRedriveRequest,
      answer: shapes.task,
      locates: 'The task',
    },
    mayLackBody: true,
  },
  showHistory: {
    ...{ method: 'GET', path: '/api/v1/dlqs/:queue/history', tag: 'dead letters', needs: 'dlq:read' },
    summary: 'Depth and growth of a queue over time, for charts',
    isOfPast: true,
    ...{ params: queueParams, query: dlqShapes.historyQuery, answer: dlqShapes.depthHistory },
  },
  listHistory: {
    ...{ method: 'GET', path: '/api/v1/history', tag: 'dead letters', needs: 'dlq:read' },
    summary: 'Depth and growth of all dead-letter queues over time',
    ...{ query: dlqShapes.historyQuery, answer: dlqShapes.historyList },
  },
  listTraffic: {
    ...{ method: 'GET', path: '/api/v1/queues', tag: 'dead letters', needs: 'dlq:read' },
    summary: 'All queues of the vhost: ready, unacknowledged, consumers, messages per second in and out',
    answer: dlqShapes.queueTrafficList,
  },
  downloadBackup: {
    ...{ method: 'GET', path: '/api/v1/dlqs/:queue/backup', tag: 'backups', needs: 'dlq:backup' },
    summary: 'The messages of a queue as a file, byte for byte; they stay in the queue',
    ...{ params: queueParams, query: dlqShapes.filterQuery, mediaType: 'application/gzip' },
  },
  discardMessages: {
    ...{ method: 'POST', path: '/api/v1/dlqs/:queue/discard', tag: 'backups', needs: 'dlq:discard' },
    summary:
      'Remove messages; they are in a backup, written and checked, before they go. Many may wait for a second person',
    ...{ params: queueParams, body: requests.discardRequest, takesDlqsOnly: true },
    ...{ answer: dlqShapes.discarded, waiting: dlqShapes.approval },
  },
  listBackups: {
    ...{ method: 'GET', path: '/api/v1/backups', tag: 'backups', needs: 'dlq:backup' },
    summary: 'Backups that the server keeps: of discards, and those that were restored',
    ...{ query: listShapes.backupQuery, answer: dlqShapes.backupList },
  },
  fetchBackup: {
    ...{ method: 'GET', path: '/api/v1/backups/:id', tag: 'backups', needs: 'dlq:backup' },
    summary: 'A kept backup as a file',
    ...{ params: dlqShapes.backupParams, mediaType: 'application/gzip' },
  },
  deleteBackup: {
    ...{ method: 'DELETE', path: '/api/v1/backups/:id', tag: 'backups', needs: 'dlq:discard' },
    summary:
      'Delete a kept backup for good; one with the only copy of a message only if forced, one in use never',
    ...{ params: dlqShapes.backupParams, query: dlqShapes.deleteBackupQuery },
  },
  restoreBackup: {
    ...{ method: 'POST', path: '/api/v1/restores', tag: 'backups', needs: 'dlq:restore' },
    summary: 'Put the messages of a backup into their dead-letter queue, each once; the body is the file',
    accepts: {
      mediaType: 'application/gzip',
      description: 'A backup, as a download or `warren dlq backup` gives it; read as it comes',
    },
    ...{ query: requests.restoreQuery, answer: dlqShapes.restored },
  },
  planRedrive: {
    ...{ method: 'POST', path: '/api/v1/redrives/plan', tag: 'redrives', needs: 'dlq:redrive' },
    summary: 'What a re-drive would do, read from every message without moving one',
    ...{ body: requests.redriveRequest, answer: shapes.redrivePlan },
  },
  startRedrive: {
    ...{ method: 'POST', path: '/api/v1/redrives', tag: 'redrives', needs: 'dlq:redrive', status: 202 },
    summary: 'Start a re-drive; `location` names the task, or the approval that it waits for',
    ...{ body: requests.redriveRequest, answer: shapes.task, waiting: dlqShapes.approval },
    locates: 'The task, or the approval',
  },
  listApprovals: {
    ...{ method: 'GET', path: '/api/v1/approvals', tag: 'approvals', needs: 'dlq:read' },
    summary: 'What waits for a second person, and what was decided of late; the newest first',
    ...{ query: listShapes.approvalQuery, answer: dlqShapes.approvalList },
  },
  showApproval: {
    ...{ method: 'GET', path: approvalPath, tag: 'approvals', needs: 'dlq:read' },
    summary: 'One approval with what it asks for',
    ...{ params: dlqShapes.approvalParams, answer: dlqShapes.approval },
  },
  grantApproval: {
    ...{ method: 'POST', path: `${approvalPath}/grant`, tag: 'approvals', needs: 'dlq:redrive' },
    summary: 'Agree as the second person, which begins what was asked for; `location` names a task',
    ...{ params: dlqShapes.approvalParams, answer: dlqShapes.approval, status: 202 },
    locates: 'The task, where a re-drive is granted',
  },
  refuseApproval: {
    ...{ method: 'POST', path: `${approvalPath}/refuse`, tag: 'approvals', needs: 'dlq:redrive' },
    summary: 'Say no as the second person, or take back what you asked for yourself',
    ...{ params: dlqShapes.approvalParams, answer: dlqShapes.approval },
  },
  listTasks: {
    ...{ method: 'GET', path: '/api/v1/tasks', tag: 'tasks', needs: 'dlq:read' },
    summary: 'Tasks of all servers, the newest first',
    ...{ query: listShapes.taskQuery, answer: shapes.taskList },
  },
  showTask: {
    ...{ method: 'GET', path: taskPath, tag: 'tasks', needs: 'dlq:read' },
    summary: 'One task with its counts',
    ...{ params: taskParams, answer: shapes.task },
  },
  pauseTask: {
    ...{ method: 'POST', path: `${taskPath}/pause`, tag: 'tasks', needs: 'dlq:redrive' },
    summary: 'Start no more messages; what is under way is finished',
    ...{ params: taskParams, answer: shapes.task },
  },
  resumeTask: {
    ...{ method: 'POST', path: `${taskPath}/resume`, tag: 'tasks', needs: 'dlq:redrive' },
    summary: 'Go on with a paused task',
    ...{ params: taskParams, answer: shapes.task },
  },
  cancelTask: {
    ...{ method: 'POST', path: `${taskPath}/cancel`, tag: 'tasks', needs: 'dlq:redrive', status: 202 },
    summary: 'Finish what is under way and leave the rest where it is',
    ...{ params: taskParams, answer: shapes.task },
  },
  watchTask: {
    ...{ method: 'GET', path: `${taskPath}/events`, tag: 'tasks', needs: 'dlq:read' },
    summary: 'Progress as server-sent events: `task` with the task as data, the last one when it has ended',
    ...{ params: taskParams, mediaType: 'text/event-stream' },
    description:
      'Every event holds all of the task. Send the id of the last one as last-event-id to go on behind it.',
    whenEnded: 'The task has ended, and last-event-id names the event that told it',
  },
  watchEvents: {
    ...{ method: 'GET', path: '/api/v1/events', tag: 'events', needs: 'dlq:read' },
    summary: 'What becomes of tasks, approvals and queues, as one stream of server-sent events',
    ...{ query: listShapes.eventsQuery, mediaType: 'text/event-stream' },
    description: eventsDescription,
  },
  showReceipt: {
    ...{ method: 'GET', path: `${taskPath}/receipt`, tag: 'tasks', needs: 'dlq:read' },
    summary: 'What became of every message that was in the queue',
    ...{ params: taskParams, answer: shapes.receipt },
  },
  showTopology: {
    ...{ method: 'GET', path: topologyPath, tag: 'topology', needs: 'topology:read' },
    summary: 'What the config declares, spelled out for this broker',
    answer: topologyShapes.compiledTopology,
  },
  showLiveTopology: {
    ...{ method: 'GET', path: `${topologyPath}/live`, tag: 'topology', needs: 'topology:read' },
    summary: 'What stands in the vhost',
    answer: topologyShapes.liveTopology,
  },
  planTopology: {
    ...{ method: 'GET', path: `${topologyPath}/plan`, tag: 'topology', needs: 'topology:read' },
    summary: 'The steps from the live broker to what is declared; changes nothing',
    answer: topologyShapes.topologyPlan,
  },
  showProblems: {
    ...{ method: 'GET', path: `${topologyPath}/problems`, tag: 'topology', needs: 'topology:read' },
    summary: 'What is proved of the declared topology, and what is not',
    answer: topologyShapes.topologyProblems,
  },
  applyTopology: {
    ...{ method: 'POST', path: `${topologyPath}/apply`, tag: 'topology', needs: 'topology:apply' },
    summary: 'Carry out the plan that was read, named by its digest; disruptive steps only if allowed',
    body: topologyShapes.applyRequest,
    ...{ answer: topologyShapes.applyResult, waiting: dlqShapes.approval },
  },
  start: {
    ...{ method: 'GET', path: '/', tag: 'operation', needs: 'anyone', alsoAs: 'text/html' },
    summary: 'What this is and where to go; a page for browsers',
    answer: shapes.startPage,
  },
  isAlive: {
    ...{ method: 'GET', path: '/healthz', tag: 'operation', needs: 'anyone', mediaType: 'text/plain' },
    summary: 'The process answers',
  },
  isReady: {
    ...{ method: 'GET', path: '/readyz', tag: 'operation', needs: 'anyone', mediaType: 'text/plain' },
    summary: 'The broker is there and requests are answered; 503 while that is not so',
    unavailable: 'The broker is not there, or every request that may be answered at once hangs',
  },
  metrics: {
    ...{ method: 'GET', path: '/metrics', tag: 'operation', needs: 'dlq:read', mediaType: 'text/plain' },
    summary: 'Numbers for Prometheus: depths of dead-letter queues, tasks, requests',
  },
  listAudit: {
    ...{ method: 'GET', path: '/api/v1/audit', tag: 'audit', needs: 'audit:read' },
    summary: 'Who did what, page by page, from the stream warren.audit; the newest first',
    ...{ query: listShapes.auditQuery, answer: shapes.auditPage },
  },
  adminQueues: {
    ...{ method: 'GET', path: '/admin/dlq/queues', tag: 'admin', needs: 'dlq:admin' },
    summary: 'The known dead-letter queues',
    answer: shapes.adminQueues,
  },
  adminMessages: {
    ...{ method: 'GET', path: '/admin/dlq/queues/:queue/messages', tag: 'admin', needs: 'dlq:admin' },
    summary: 'Messages from the head of a known dead-letter queue; they stay there',
    ...{ params: queueParams, query: shapes.adminMessagesQuery, answer: shapes.adminMessages },
  },
  adminRedrive: {
    ...{ method: 'POST', path: '/admin/dlq/queues/:queue/re-drive', tag: 'admin', needs: 'dlq:admin' },
    summary:
      'Put messages back through the retry exchange of their queue, 10 unless said otherwise; answers when it is done',
    ...{ params: queueParams, body: shapes.adminRedriveRequest, answer: shapes.adminRedrive },
    mayLackBody: true,
  },
}
