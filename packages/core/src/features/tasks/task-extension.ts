import { ErrorCode, invalidParams } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { Notification, TaskMethod } from '../../protocol/methods.ts'
import { revisionOf } from '../../protocol/revisions/index.ts'
import { type TaskDialect, taskDialectOf } from '../../protocol/revisions/task-dialects.ts'
import { TASKS_EXTENSION } from '../../protocol/types.ts'
import type { CallContext } from '../../call/context.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { Extension, ExtensionMethod } from '../../call/extension.ts'
import type { SubscriptionFilter, Notify } from '../../subscriptions/subscription.ts'
import type { TaskKey, TaskRecord } from '../../stores/task-store.ts'
import { taskOwner } from '../../tasks/task-owner.ts'
import { type TaskRunner, unknownTask } from '../../tasks/task-runner.ts'
import { CONNECT, type Connected, missingExtension, requireExtension } from '../extensions.ts'
import { type ListenTopic, readTexts } from '../subscription-methods.ts'

const UPDATE = 'tasks/update'
const TASK_IDS = 'taskIds'
/** The capability with which clients of earlier revisions declare tasks. */
const EARLIER = 'tasks'
/** The maximum length of a task id in a request. Jetway's own ids are shorter. */
const MAX_ID_LENGTH = 256

/**
 * Creates the tasks extension, for the `extensions` option. For a client that declares the extension, a call
 * to a tool whose `taskSupport` is `optional` or `required` immediately returns a task. The client fetches
 * the task's result later. Other clients receive the error `-32021` from tools whose `taskSupport` is
 * `required`. Clients can subscribe to changes to their tasks. Session revisions with tasks use the same
 * tools and the same store.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export function tasks(): Extension {
  const extension: Extension & Connected = {
    id: TASKS_EXTENSION,
    // Clients that have not declared the extension may request a task that they started in another revision.
    clients: 'all',
    names: { [TaskMethod.Get]: 'taskId', [UPDATE]: 'taskId', [TaskMethod.Cancel]: 'taskId' },
    [CONNECT]: ({ tasks: runner }) =>
      runner === undefined
        ? extension
        : { ...extension, methods: methodsOf(runner), topics: [topicOf(runner)] },
  }
  return extension
}

type Answer = (at: At, params: JsonObject) => Promise<object>

function methodsOf(runner: () => TaskRunner): Required<Extension>['methods'] {
  const one =
    (answer: Answer, earlier?: Answer): ExtensionMethod =>
    (params, ctx) => {
      const { taskId } = params
      const owner = taskOwner(ctx as RequestContext & CallContext)
      const dialect = taskDialectOf((ctx as RequestContext & CallContext).revision)
      const declared = ctx.client.extension(TASKS_EXTENSION) !== undefined
      const run = declared ? answer : ctx.client.supports(EARLIER) ? earlier : undefined
      if (run === undefined) throw missingExtension(TASKS_EXTENSION)
      if (typeof taskId !== 'string' || owner === undefined || dialect === undefined) throw unknownTask()
      return run({ tasks: runner(), key: { owner, taskId }, dialect }, params)
    }
  return {
    [TaskMethod.Get]: one(
      async ({ tasks: all, key, dialect }) => detailed(dialect, await all.get(key)),
      async (at) => inBothDialects(at, await begunEarlier(at)),
    ),
    [UPDATE]: one(async ({ tasks: all, key }, { inputResponses }) => {
      await all.answer(key, readResponses(inputResponses))
      return {}
    }),
    [TaskMethod.Cancel]: one(
      async ({ tasks: all, key }) => {
        await all.stop(key)
        return {}
      },
      async (at) => {
        await begunEarlier(at)
        return inBothDialects(at, await at.tasks.cancel(at.key))
      },
    ),
  }
}

/**
 * Finds a task for a client that has declared only tasks as in earlier revisions. For other tasks, the client
 * must have declared the extension.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension#backward-compatibility
 */
async function begunEarlier({ tasks: all, key }: At): Promise<TaskRecord> {
  const record = await all.find(key)
  if (record !== undefined && earlierDialect(record) !== undefined) return record
  throw missingExtension(TASKS_EXTENSION)
}

/**
 * Returns the format of the revision in which a task started, if clients can read its tasks without the
 * extension.
 */
function earlierDialect({ revision }: TaskRecord): TaskDialect | undefined {
  const started = revisionOf(revision)
  return started?.tasks === 'experimental' ? taskDialectOf(started) : undefined
}

/**
 * Returns the task in both formats, together with its result, because the method for fetching the result no
 * longer exists.
 */
const inBothDialects = ({ dialect }: At, record: TaskRecord): JsonObject => ({
  ...detailed(dialect, record),
  ...earlierDialect(record)?.shown(record),
})

interface At {
  readonly tasks: TaskRunner
  readonly key: TaskKey
  readonly dialect: TaskDialect
}

/** https://modelcontextprotocol.io/seps/2663-tasks-extension#task-status-notifications */
function topicOf(runner: () => TaskRunner): ListenTopic {
  return {
    member: TASK_IDS,
    agree: async (requested, ctx) => {
      requireExtension(ctx, TASKS_EXTENSION)
      const ids = readTexts(TASK_IDS, requested, MAX_ID_LENGTH)
      const owner = taskOwner(ctx)
      const dialect = taskDialectOf(ctx.revision)
      if (owner === undefined || dialect === undefined) return undefined
      const all = runner()
      const keys = ids.map((taskId) => ({ owner, taskId }))
      const found = await Promise.all(keys.map((key) => all.find(key)))
      // Tasks that belong to other owners are omitted, just like unknown tasks.
      const known = keys.filter((_, index) => found[index] !== undefined)
      return filterFor(known, all, dialect)
    },
  }
}

function filterFor(keys: readonly TaskKey[], all: TaskRunner, dialect: TaskDialect): SubscriptionFilter {
  const own = new Map(keys.map((key) => [key.taskId, key]))
  const watch = all.watch()
  const follow = (key: TaskKey, notify: Notify): void =>
    watch.refresh(key, (record) => notify({ method: Notification.Task, params: detailed(dialect, record) }))
  return {
    acknowledged: { [TASK_IDS]: [...own.keys()] },
    onChange: (event, notify) => {
      if (event.kind === 'gap') for (const key of keys) follow(key, notify)
      if (event.kind !== 'task') return
      const key = own.get(event.taskId)
      if (key?.owner === event.owner) follow(key, notify)
    },
    // The task may have ended since the subscription was acknowledged.
    begin: (notify) => {
      for (const key of keys) follow(key, notify)
      return undefined
    },
  }
}

/** Returns the task with its result, its error or its questions. */
function detailed(dialect: TaskDialect, record: TaskRecord): JsonObject {
  const shown = dialect.shown(record)
  const { status, inputs = {}, result = {}, error } = record
  if (status === 'input_required') return { ...shown, inputRequests: inputs }
  if (status === 'completed') return { ...shown, result }
  // In the revision that started the task, a tool error makes the task fail. In this revision, only a JSON-RPC
  // error does.
  if (status === 'failed' && record.result !== undefined) return { ...shown, status: 'completed', result }
  if (status !== 'failed') return shown
  return { ...shown, error: error ?? { code: ErrorCode.InternalError, message: 'The task has failed' } }
}

/** @throws McpError `-32602` */
function readResponses(given: unknown): Readonly<Record<string, JsonObject>> {
  if (isObject(given) && Object.values(given).every(isObject)) return given as Record<string, JsonObject>
  throw invalidParams('The member "inputResponses" must be an object of objects')
}
