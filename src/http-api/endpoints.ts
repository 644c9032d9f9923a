import type * as Contract from './contract.ts'
import type { Shape } from './shapes.ts'
import * as shapes from './shapes.ts'

/** One thing that can be asked of the server: its address, who may ask, and what goes in and out. */
export interface Endpoint<Params = undefined, Query = undefined, Body = undefined, Answer = undefined> {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With `:name` for each parameter. */
  readonly path: string
  readonly summary: string
  readonly tag: string
  /** `anyone`: also without credentials. `known`: every caller with a role. */
  readonly needs: Contract.Permission | 'known' | 'anyone'
  readonly params?: Shape<Params>
  readonly query?: Shape<Query>
  readonly body?: Shape<Body>
  /** The status of success. @default 200, or 204 without an answer */
  readonly status?: number
  readonly answer?: Shape<Answer>
  /** The answer is no JSON. */
  readonly mediaType?: 'text/event-stream' | 'text/plain'
}

export interface Endpoints {
  readonly openSession: Endpoint<undefined, undefined, Contract.Credentials, Contract.OpenedSession>
  readonly closeSession: Endpoint
  readonly myPermissions: Endpoint<undefined, undefined, undefined, Contract.MyPermissions>
  readonly brokerState: Endpoint<undefined, undefined, undefined, Contract.BrokerState>
  readonly listDlqs: Endpoint<undefined, undefined, undefined, Contract.DlqList>
  readonly listCauses: Endpoint<Contract.QueueParams, undefined, undefined, Contract.CauseList>
  readonly listMessages: Endpoint<
    Contract.QueueParams,
    Contract.MessageQuery,
    undefined,
    Contract.MessagePage
  >
  readonly showMessage: Endpoint<Contract.MessageParams, undefined, undefined, Contract.MessageDetail>
  readonly planRedrive: Endpoint<undefined, undefined, Contract.RedriveRequest, Contract.RedrivePlan>
  readonly startRedrive: Endpoint<undefined, undefined, Contract.RedriveRequest, Contract.Task>
  readonly listTasks: Endpoint<undefined, undefined, undefined, Contract.TaskList>
  readonly showTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly pauseTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly resumeTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly cancelTask: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Task>
  readonly watchTask: Endpoint<Contract.TaskParams>
  readonly showReceipt: Endpoint<Contract.TaskParams, undefined, undefined, Contract.Receipt>
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
    ...{ params: queueParams, answer: shapes.causeList },
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
  planRedrive: {
    ...{ method: 'POST', path: '/api/v1/redrives/plan', tag: 'redrives', needs: 'dlq:redrive' },
    summary: 'What a re-drive would do, read from every message without moving one',
    ...{ body: shapes.redriveRequest, answer: shapes.redrivePlan },
  },
  startRedrive: {
    ...{ method: 'POST', path: '/api/v1/redrives', tag: 'redrives', needs: 'dlq:redrive', status: 202 },
    summary: 'Start a re-drive; `location` names the task',
    ...{ body: shapes.redriveRequest, answer: shapes.task },
  },
  listTasks: {
    ...{ method: 'GET', path: '/api/v1/tasks', tag: 'tasks', needs: 'dlq:read' },
    summary: 'Tasks of this server, the newest first',
    answer: shapes.taskList,
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
  },
  showReceipt: {
    ...{ method: 'GET', path: `${taskPath}/receipt`, tag: 'tasks', needs: 'dlq:read' },
    summary: 'What became of every message that was in the queue',
    ...{ params: taskParams, answer: shapes.receipt },
  },
  isAlive: {
    ...{ method: 'GET', path: '/healthz', tag: 'operation', needs: 'anyone', mediaType: 'text/plain' },
    summary: 'The process answers',
  },
  isReady: {
    ...{ method: 'GET', path: '/readyz', tag: 'operation', needs: 'anyone', mediaType: 'text/plain' },
    summary: 'The broker is there; 503 while it is not',
  },
  metrics: {
    ...{ method: 'GET', path: '/metrics', tag: 'operation', needs: 'dlq:read', mediaType: 'text/plain' },
    summary: 'Numbers for Prometheus: depths of dead-letter queues, tasks, requests',
  },
  listAudit: {
    ...{ method: 'GET', path: '/api/v1/audit', tag: 'audit', needs: 'audit:read' },
    summary: 'Who did what, from the stream warren.audit; the newest last',
    ...{ query: shapes.auditQuery, answer: shapes.auditPage },
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
    summary: 'Put messages back through the retry exchange of their queue; answers when it is done',
    ...{ params: queueParams, body: shapes.adminRedriveRequest, answer: shapes.adminRedrive },
  },
}
