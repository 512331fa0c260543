import { ErrorCode, invalidParams } from '../errors.ts'
import { isObject, type JsonObject } from '../protocol/jsonrpc.ts'
import { TaskMethod } from '../protocol/methods.ts'
import type { TaskDialect } from '../protocol/revisions/revision.ts'
import { TASKS_EXTENSION } from '../protocol/tasks.ts'
import type { RequestContext } from '../runtime/context.ts'
import type { Extension, ExtensionMethod } from '../runtime/extension.ts'
import type { TaskKey, TaskRecord } from '../runtime/task-store.ts'
import { type Tasks, taskOwner, unknownTask } from '../runtime/tasks.ts'
import type { CallContext } from '../runtime/context.ts'
import { CONNECT, type Connected } from './extensions.ts'

const UPDATE = 'tasks/update'

/**
 * The tasks extension, for the option `extensions`. Where a client declares it, a call of a tool whose `taskSupport` is
 * `optional` or `required` is answered with a task at once, and the client comes back for the result; the `required`
 * ones are refused to other clients with `-32021`. The same tools, and the same store, serve the tasks of 2025-11-25.
 *
 * @see https://modelcontextprotocol.io/seps/2663-tasks-extension
 */
export function tasks(): Extension {
  const extension: Extension & Connected = {
    id: TASKS_EXTENSION,
    names: { [TaskMethod.Get]: 'taskId', [UPDATE]: 'taskId', [TaskMethod.Cancel]: 'taskId' },
    [CONNECT]: (host) => ({ ...extension, methods: methodsOf(host.tasks) }),
  }
  return extension
}

function methodsOf(runner: () => Tasks): Required<Extension>['methods'] {
  const one =
    (answer: (at: At, params: JsonObject) => Promise<object>): ExtensionMethod =>
    (params, ctx) => {
      const { taskId } = params
      const owner = taskOwner(ctx as RequestContext & CallContext)
      const dialect = (ctx as RequestContext & CallContext).revision.tasks
      if (typeof taskId !== 'string' || owner === undefined || dialect === undefined) throw unknownTask()
      return answer({ tasks: runner(), key: { owner, taskId }, dialect }, params)
    }
  return {
    [TaskMethod.Get]: one(async ({ tasks: all, key, dialect }) => detailed(dialect, await all.get(key))),
    [UPDATE]: one(async ({ tasks: all, key }, { inputResponses }) => {
      await all.answer(key, readResponses(inputResponses))
      return {}
    }),
    [TaskMethod.Cancel]: one(async ({ tasks: all, key }) => {
      await all.stop(key)
      return {}
    }),
  }
}

interface At {
  readonly tasks: Tasks
  readonly key: TaskKey
  readonly dialect: TaskDialect
}

/** A task with what it has come to, or what it waits for. */
export function detailed(dialect: TaskDialect, record: TaskRecord): JsonObject {
  const shown = dialect.shown(record)
  const { status, inputs = {}, result = {}, error } = record
  if (status === 'input_required') return { ...shown, inputRequests: inputs }
  if (status === 'completed') return { ...shown, result }
  if (status !== 'failed') return shown
  return { ...shown, error: error ?? { code: ErrorCode.InternalError, message: 'The task has failed' } }
}

/** @throws McpError `-32602` */
function readResponses(given: unknown): Readonly<Record<string, JsonObject>> {
  if (isObject(given) && Object.values(given).every(isObject)) return given as Record<string, JsonObject>
  throw invalidParams('The member "inputResponses" must be an object of objects')
}
