import { describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { asks, elicit, inputRequired, McpServer, tasks } from '../../../src/index.ts'
import type { JsonObject } from '../../../src/protocol/jsonrpc.ts'
import { requestMeta } from '../../support/modern-calls.ts'

const SEP = 'https://modelcontextprotocol.io/seps/2663-tasks-extension#task-creation'
const PLAIN = { elicitation: {} }
const DECLARED = { ...PLAIN, extensions: { 'io.modelcontextprotocol/tasks': {} } }
const named = z.object({ name: z.string() })
const answer = (name: string): object => ({ action: 'accept', content: { name } })

interface Bench {
  readonly runs: string[]
  readonly call: (name: string, more?: object, capabilities?: object) => Promise<JsonObject>
  /** Resolves to the task once it has the given status. */
  readonly reach: (task: JsonObject, status: string) => Promise<JsonObject>
  readonly update: (task: JsonObject, inputResponses: object) => Promise<unknown>
}

function open(): Bench {
  const server = new McpServer({ name: 'test', version: '1' }, { extensions: [tasks()] })
  const runs: string[] = []
  server.addTool({
    name: 'declared',
    taskSupport: 'optional',
    asks: asks()
      .ask('who', () => elicit('Who?', named))
      .ask('where', (_args, ctx) => elicit(`Where is ${ctx.answers.who.name}?`, named)),
    handler: (_args, { answers, task }) => {
      runs.push('declared')
      return `${answers.who.name} in ${answers.where.name}, ${task === undefined ? 'called' : 'as a task'}`
    },
  })
  server.addTool({
    name: 'returned',
    taskSupport: 'optional',
    handler: (_args, { inputs, task }) => {
      runs.push(inputs.state ?? 'first')
      const who = inputs.get('who', named)
      const where = inputs.get('where', named)
      if (who === undefined || where === undefined)
        return inputRequired({ who: elicit('Who?', named), where: elicit('Where?', named) }, { state: 'two' })
      const sure = inputs.get('sure', named)
      if (sure === undefined) return inputRequired({ sure: elicit('Sure?', named) }, { state: 'three' })
      return `${who.name} in ${where.name} (${sure.name}), ${task === undefined ? 'called' : 'as a task'}`
    },
  })
  const ask = async (
    method: string,
    params: object,
    capabilities: object = DECLARED,
  ): Promise<JsonObject> => {
    const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: requestMeta(capabilities) } }
    const { result, error } = JSON.parse((await server.handleMessage(message)) ?? '{}') as {
      result?: JsonObject
      error?: object
    }
    if (result === undefined) throw new Error(JSON.stringify(error))
    return result
  }
  return {
    runs,
    call: (name, more, capabilities) => ask('tools/call', { name, ...more }, capabilities),
    reach: ({ taskId }, status) =>
      vi.waitFor(
        async () => {
          const task = await ask('tasks/get', { taskId })
          expect(task).toMatchObject({ status })
          return task
        },
        { interval: 2 },
      ),
    update: ({ taskId }, inputResponses) => ask('tasks/update', { taskId, inputResponses }),
  }
}

const stateOf = ({ requestState }: JsonObject): object => ({ requestState })
const askedOf = ({ inputRequests }: JsonObject): readonly string[] => Object.keys(inputRequests as object)
const textOf = (task: JsonObject): unknown =>
  (task['result'] as { content: { text: string }[] } | undefined)?.content[0]?.text

describe(`answers that a call received before it became a task (${SEP})`, () => {
  it('are passed to the handler of a tool that declares asks', async () => {
    const { call, reach, runs } = open()
    const first = await call('declared')
    const second = await call('declared', { ...stateOf(first), inputResponses: { who: answer('Ann') } })
    const task = await call('declared', { ...stateOf(second), inputResponses: { where: answer('Oslo') } })
    expect(task).toMatchObject({ resultType: 'task' })
    expect(textOf(await reach(task, 'completed'))).toBe('Ann in Oslo, as a task')
    expect(runs).toEqual(['declared'])
  })

  it('are passed to the handler even if the client declared tasks only after the questions', async () => {
    const { call, reach, update, runs } = open()
    const first = await call('returned', {}, PLAIN)
    expect(askedOf(first)).toEqual(['who', 'where'])
    const inputResponses = { who: answer('Ann'), where: answer('Oslo') }
    const task = await call('returned', { ...stateOf(first), inputResponses })
    const waiting = await reach(task, 'input_required')
    const [key = ''] = askedOf(waiting)
    expect(key).toMatch(/^sure-/)
    await update(task, { [key]: answer('yes') })
    expect(textOf(await reach(task, 'completed'))).toBe('Ann in Oslo (yes), as a task')
    expect(runs).toEqual(['first', 'two', 'three'])
  })

  it('are kept even if other answers of the same round are missing', async () => {
    const { call, reach, update, runs } = open()
    const first = await call('returned', {}, PLAIN)
    const task = await call('returned', { ...stateOf(first), inputResponses: { who: answer('Ann') } })
    const waiting = await reach(task, 'input_required')
    const keys = askedOf(waiting)
    expect(keys).toEqual([expect.stringMatching(/^where-/)])
    await update(task, { [String(keys[0])]: answer('Oslo') })
    await reach(task, 'input_required')
    expect(runs).toEqual(['first', 'first', 'two'])
  })

  it('are accepted without requestState, as in any first call', async () => {
    const { call, reach } = open()
    const task = await call('returned', { inputResponses: { who: answer('Ann'), where: answer('Oslo') } })
    expect(askedOf(await reach(task, 'input_required'))).toEqual([expect.stringMatching(/^sure-/)])
    const asked = await call('declared', { inputResponses: { who: answer('Ann') } })
    expect(askedOf(asked)).toEqual(['where'])
  })

  it('are requested again by the task if they are invalid', async () => {
    const { call, reach } = open()
    const wrong = { action: 'accept', content: { name: 7 } }
    const task = await call('returned', { inputResponses: { who: wrong, where: answer('Oslo') } })
    expect(askedOf(await reach(task, 'input_required'))).toEqual([expect.stringMatching(/^who-/)])
  })
})
