import { beforeAll, describe, expect, it } from 'vitest'
import { pack, printed } from './support/bundle.ts'

/** What the condition "jetway-edge" leaves out, and what it leaves: docs/guide/runtimes.md#lighter-at-the-edge */

const run = async (fixture: string): Promise<unknown> => {
  const module = new URL(`./fixtures/${fixture}`, import.meta.url)
  return printed(await pack({ module, conditions: ['jetway-edge'] }), 'await import(process.argv[1])')
}

describe('under the condition "jetway-edge", refused where it is asked for and by its name', () => {
  let outcomes: Readonly<Record<string, string>>
  beforeAll(async () => {
    outcomes = (await run('refused.edge.ts')) as typeof outcomes
  })

  it.each([
    ['a mount with sessions', 'stateless: false'],
    ['options of sessions', 'option sessions'],
    ['a store of sessions', 'option sessionStore'],
    ['a store of events', 'option eventStore'],
    ['HTTP+SSE', 'option legacySse'],
    ['the paths of HTTP+SSE', 'option legacySse'],
    ['options of subscriptions', 'option listens'],
    ['options of tasks', 'option tasks'],
    ['the extension of tasks', 'extension of tasks'],
    ['a tool that runs as a task', 'tool "task"'],
    ['a hook for subscribers', 'resource "edge://a"'],
    ['a connected transport', 'server.connect'],
    ['offers of one session', 'server.forSession'],
  ])('is %s', (name, named) => {
    expect(outcomes[name]).toContain(named)
    expect(outcomes[name]).toMatch(/"jetway-edge".*\[ERR_MCP_LEFT_OUT\]$/)
  })

  it('is a schema that is not in the cache, with the command to run', () => {
    expect(outcomes['a schema that is not in the cache']).toMatch(
      /tool "uncached".*"jetway-edge".*npx jetway schemas build.*\[ERR_MCP_SCHEMA_COMPILE\]$/,
    )
  })

  it('is nothing else', () => {
    expect(outcomes['nothing that is left out']).toBe('taken')
  })
})

describe('under the condition "jetway-edge", served', () => {
  let answers: Readonly<Record<string, unknown>>
  beforeAll(async () => {
    answers = (await run('served.edge.ts')) as typeof answers
  })
  const text = (said: string): object => ({ status: 200, answer: { result: { content: [{ text: said }] } } })

  it('are questions, in rounds, with forms of zod', () => {
    expect(answers['asked']).toMatchObject({
      answer: {
        result: {
          resultType: 'input_required',
          inputRequests: {
            confirm: { params: { requestedSchema: { properties: { ok: { type: 'boolean' } } } } },
          },
        },
      },
    })
    expect(answers['answered']).toMatchObject(text('Sure: true'))
    expect(answers['answeredInRounds']).toMatchObject(text('Sure: true'))
  })

  it('are resources, templates, prompts and completions', () => {
    const read = (said: string): object => ({ answer: { result: { contents: [{ text: said }] } } })
    expect(answers['read']).toMatchObject(read('A note'))
    expect(answers['readByTemplate']).toMatchObject(read('Of anything'))
    expect(answers['prompted']).toMatchObject({
      answer: { result: { messages: [{ content: { text: 'Of Bern' } }] } },
    })
    expect(answers['completed']).toMatchObject({ answer: { result: { completion: { values: ['Basel'] } } } })
  })

  it('are clients of the session era, without a session', () => {
    expect(answers['readEarlier']).toMatchObject({ status: 200, answer: { result: { contents: [{}] } } })
    expect(answers['batchEarlier']).toMatchObject({ status: 200, answer: [{ id: 1, result: {} }] })
    expect(answers['notified']).toMatchObject({ status: 202 })
  })

  it('are messages off a queue', () => {
    expect(answers['handedOver']).toMatchObject({ id: 1, result: {} })
  })

  it('is nothing that needs another request: each is answered with an error', () => {
    expect(answers['opened']).toMatchObject({ status: 405 })
    expect(answers['deleted']).toMatchObject({ status: 405 })
    expect(answers['listening']).toMatchObject({ status: 404, answer: { error: { code: -32601 } } })
    expect(answers['task']).toMatchObject({ status: 404, answer: { error: { code: -32601 } } })
    expect(answers['subscribedEarlier']).toMatchObject({ answer: { error: { code: -32600 } } })
    expect(answers['askedEarlier']).toMatchObject({
      answer: { error: { message: expect.stringContaining('carries no questions') as unknown } },
    })
  })

  it('is no question in the middle of a handler, and its author is told what to do', () => {
    expect(answers['askedNow']).toMatchObject({ answer: { result: { isError: true } } })
    expect(answers['failures']).toEqual([expect.stringContaining('ERR_MCP_UNSUPPORTED_HERE')])
  })

  it('is told of what it does not have', () => {
    const { result } = (answers['discovered'] as { answer: { result: object } }).answer
    expect(result).not.toHaveProperty('capabilities.tasks')
  })
})
