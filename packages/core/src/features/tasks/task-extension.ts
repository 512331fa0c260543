import { ErrorCode, invalidParams } from '../../errors.ts'
import { isObject, type JsonObject } from '../../protocol/jsonrpc.ts'
import { Notification, TaskMethod } from '../../protocol/methods.ts'
import { revisionOf } from '../../protocol/revisions/index.ts'
import type { TaskDialect } from '../../protocol/revisions/revision.ts'
import { TASKS_EXTENSION } from '../../protocol/tasks.ts'
import type { CallContext } from '../../call/context.ts'
import type { RequestContext } from '../../call/request-context.ts'
import type { Extension, ExtensionMethod } from '../../call/extension.ts'
import type { SubscriptionFilter, Notify } from '../../subscriptions/subscription.ts'
import type { TaskKey, TaskRecord } from '../../stores/task-store.ts'
import { type TaskRunner, taskOwner, unknownTask } from '../../tasks/task-runner.ts'
import { CONNECT, type Connected, missingExtension, requireExtension } from '../extensions.ts'
import { type ListenTopic, readTexts } from '../listen-method.ts'

const UPDATE = 'tasks/update'
const TASK_IDS = 'taskIds'
/** How clients of earlier revisions declare tasks. */
const EARLIER = 'tasks'
/** No id of ours is as long. */
const MAX_ID_LENGTH = 256

/**
 * The tasks extension, for the option `extensions`. Where a client declares it, a call of a tool whose `taskSupport` is
 * `optional` or `required` is answered with a task at once, and the client comes back for the result; the `required`
 * ones are refused to other clients with `-32021`. A client that listens to its tasks is notified of each change. The same
 * tools, and the same store, serve the tasks of 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export function tasks(): Extension {
  const extension: Extension & Connected = {
    id: TASKS_EXTENSION,
    // Who has not declared it may still come back for what another revision began.
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
      const dialect = (ctx as RequestContext & CallContext).revision.tasks
      const declared = ctx.client.extension(TASKS_EXTENSION) !== undefined
      const run = declared ? answer : ctx.client.supports(EARLIER) ? earlier : undefined
      if (run === undefined) throw missingExtension(TASKS_EXTENSION)
      if (typeof taskId !== 'string' || owner === undefined || dialect === undefined) throw unknownTask()
      return run({ tasks: runner(), key: { owner, taskId }, dialect }, params)
    }
  return {
    [TaskMethod.Get]: one(
      async ({ tasks: all, key, dialect }) => detailed(dialect, await all.get(key)),
      async (at) => inBothWords(at, await begunEarlier(at)),
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
        return inBothWords(at, await at.tasks.cancel(at.key))
      },
    ),
  }
}

/**
 * The task that a client wants back which has declared only the tasks of earlier revisions. For all that those do not
 * have, and for tasks that are not theirs, it has declared nothing.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension#backward-compatibility
 */
async function begunEarlier({ tasks: all, key }: At): Promise<TaskRecord> {
  const record = await all.find(key)
  if (record !== undefined && wordsOf(record) !== undefined) return record
  throw missingExtension(TASKS_EXTENSION)
}

/** How the revision that began a task speaks of it, where its clients need no extension. */
function wordsOf({ revision }: TaskRecord): TaskDialect | undefined {
  const dialect = revisionOf(revision)?.tasks
  return dialect?.extension === undefined ? dialect : undefined
}

/** As its client knows tasks, and with what it has come to: the method that would tell is gone. */
const inBothWords = ({ dialect }: At, record: TaskRecord): JsonObject => ({
  ...detailed(dialect, record),
  ...wordsOf(record)?.shown(record),
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
    agree: async (asked, ctx) => {
      requireExtension(ctx, TASKS_EXTENSION)
      const ids = readTexts(TASK_IDS, asked, MAX_ID_LENGTH)
      const owner = taskOwner(ctx)
      const dialect = ctx.revision.tasks
      if (owner === undefined || dialect === undefined) return undefined
      const all = runner()
      const keys = ids.map((taskId) => ({ owner, taskId }))
      const found = await Promise.all(keys.map((key) => all.find(key)))
      return interestIn(
        keys.filter((_, i) => found[i] !== undefined),
        { all, dialect },
      )
    },
  }
}

/** A task that its owner does not have, and one that nobody has, are left out in the same way. */
function interestIn(
  keys: readonly TaskKey[],
  { all, dialect }: { readonly all: TaskRunner; readonly dialect: TaskDialect },
): SubscriptionFilter {
  const own = new Map(keys.map((key) => [key.taskId, key]))
  const watch = all.watch()
  const follow = (key: TaskKey, tell: Notify): void =>
    watch.refresh(key, (record) => tell({ method: Notification.Task, params: detailed(dialect, record) }))
  return {
    acknowledged: { [TASK_IDS]: [...own.keys()] },
    onChange: (event, tell) => {
      if (event.kind !== 'task') return
      const key = own.get(event.taskId)
      if (key?.owner === event.owner) follow(key, tell)
    },
    // It may have ended since the answer that named it.
    begin: (tell) => {
      for (const key of keys) follow(key, tell)
      return undefined
    },
  }
}

/** A task with what it has come to, or what it waits for. */
function detailed(dialect: TaskDialect, record: TaskRecord): JsonObject {
  const shown = dialect.shown(record)
  const { status, inputs = {}, result = {}, error } = record
  if (status === 'input_required') return { ...shown, inputRequests: inputs }
  if (status === 'completed') return { ...shown, result }
  // Where the call began a tool's own failure is the task's; here only an error is.
  if (status === 'failed' && record.result !== undefined) return { ...shown, status: 'completed', result }
  if (status !== 'failed') return shown
  return { ...shown, error: error ?? { code: ErrorCode.InternalError, message: 'The task has failed' } }
}

/** @throws McpError `-32602` */
function readResponses(given: unknown): Readonly<Record<string, JsonObject>> {
  if (isObject(given) && Object.values(given).every(isObject)) return given as Record<string, JsonObject>
  throw invalidParams('The member "inputResponses" must be an object of objects')
}
