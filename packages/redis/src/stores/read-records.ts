import { isObject, LOG_LEVELS } from '@jetway/core/protocol'
import type { SessionKey, SessionRecord, TaskKey, TaskRecord } from '@jetway/core/stores'
import { RedisReplyError } from '../connection/connection.ts'

/*
 * Others may be able to write to Redis, so each record is validated before a server uses it. An invalid
 * record is treated as missing, because it must not cause an exception in a timer or in the bus reader.
 */

/**
 * The maximum length of a session record, in characters. Jetway itself stores records of at most about half
 * that length.
 */
const MAX_SESSION_LENGTH = 1_048_576
/** The maximum depth of a session record, which contains parts of messages. Messages have at most 128 levels. */
const MAX_DEPTH = 136

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string'
const isNumber: Check = (value) => typeof value === 'number'
const oneOf =
  (values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value)
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value)
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check)
const withMembers =
  (members: Readonly<Record<string, Check>>): Check =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, check]) => check(value[name]))

const isSession = withMembers({
  id: isText,
  principal: isText,
  server: optional(isText),
  revision: isText,
  client: withMembers({ info: optional(isObject), capabilities: isObject }),
  initialized: (value) => typeof value === 'boolean',
  createdAt: isNumber,
  logLevel: optional(oneOf(LOG_LEVELS)),
  listChanged: listOf(oneOf(['tools', 'resources', 'prompts'])),
  subscriptions: listOf(isText),
  pendingUrls: optional(listOf(withMembers({ id: isText, until: isNumber }))),
  stream: optional(withMembers({ node: isText, token: optional(isText), fence: optional(isNumber) })),
})

const isTask = withMembers({
  taskId: isText,
  owner: isText,
  node: optional(isText),
  method: isText,
  revision: isText,
  status: oneOf(['working', 'input_required', 'completed', 'failed', 'cancelled']),
  statusMessage: optional(isText),
  createdAt: isNumber,
  updatedAt: isNumber,
  ttlMs: isNumber,
  pollIntervalMs: isNumber,
  inputs: optional((value) => isObject(value) && Object.values(value).every(isInput)),
  result: optional(isObject),
  error: optional(withMembers({ code: isNumber, message: isText })),
})

const isInput = withMembers({ method: isText, params: isObject })

/** Parses a session record. Returns undefined if the text is not a record of this session. */
export function readSession(text: string, { principal, id }: SessionKey): SessionRecord | undefined {
  const record = text.length <= MAX_SESSION_LENGTH ? parsed(text) : undefined
  if (!isSession(record) || !isShallow(record)) return undefined
  const session = record as SessionRecord
  return session.principal === principal && session.id === id ? session : undefined
}

/** Parses a task record. Returns undefined if the text is not a record of this owner's task. */
export function readTask(text: string, { owner, taskId }: Partial<TaskKey>): TaskRecord | undefined {
  const record = parsed(text)
  if (!isTask(record)) return undefined
  const task = record as TaskRecord
  return task.owner === owner && (taskId ?? task.taskId) === task.taskId ? task : undefined
}

/** Treats a key whose value has the wrong type as missing. Rethrows other errors. */
export function orMissing(error: unknown): undefined {
  if (error instanceof RedisReplyError && error.message.includes('WRONGTYPE')) return undefined
  throw error
}

/** Parses JSON. Returns undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns whether an object is shallow enough, because `JSON.stringify` throws for too many levels. */
function isShallow(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < MAX_DEPTH && Object.values(value).every((member) => isShallow(member, depth + 1))
}
