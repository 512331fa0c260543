import { beforeAll, describe, expect, it } from 'vitest'
import { pack, printed } from './support/bundle.ts'

describe('the edge preset', () => {
  let answers: Readonly<Record<string, unknown>>
  beforeAll(async () => {
    const module = new URL('./fixtures/edge-features.ts', import.meta.url)
    const bundle = await pack(module)
    answers = (await printed(bundle, 'await import(process.argv[1])')) as typeof answers
  })
  const text = (said: string): object => ({ status: 200, answer: { result: { content: [{ text: said }] } } })

  it('asks questions in rounds, with forms of zod', () => {
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

  it('serves resources, templates, prompts and completions', () => {
    const read = (said: string): object => ({ answer: { result: { contents: [{ text: said }] } } })
    expect(answers['read']).toMatchObject(read('A note'))
    expect(answers['readByTemplate']).toMatchObject(read('Of anything'))
    expect(answers['prompted']).toMatchObject({
      answer: { result: { messages: [{ content: { text: 'Of Bern' } }] } },
    })
    expect(answers['completed']).toMatchObject({ answer: { result: { completion: { values: ['Basel'] } } } })
  })

  it('serves clients of the session era without a session', () => {
    expect(answers['readEarlier']).toMatchObject({ status: 200, answer: { result: { contents: [{}] } } })
    expect(answers['batchEarlier']).toMatchObject({ status: 200, answer: [{ id: 1, result: {} }] })
    expect(answers['notified']).toMatchObject({ status: 202 })
  })

  it('answers messages from a queue', () => {
    expect(answers['handedOver']).toMatchObject({ id: 1, result: {} })
  })

  it('answers with an error what would need another request', () => {
    expect(answers['opened']).toMatchObject({ status: 405 })
    expect(answers['deleted']).toMatchObject({ status: 405 })
    expect(answers['listening']).toMatchObject({ status: 404, answer: { error: { code: -32601 } } })
    expect(answers['task']).toMatchObject({ status: 404, answer: { error: { code: -32601 } } })
    expect(answers['subscribedEarlier']).toMatchObject({ answer: { error: { code: -32601 } } })
    expect(answers['askedEarlier']).toMatchObject({
      answer: { error: { message: expect.stringContaining('carries no questions') as unknown } },
    })
  })

  it('refuses questions in the middle of a handler, and tells the author what to do', () => {
    expect(answers['askedNow']).toMatchObject({ answer: { result: { isError: true } } })
    expect(answers['failures']).toEqual([expect.stringContaining('ERR_MCP_UNSUPPORTED_HERE')])
  })

  it('does not announce what it does not have', () => {
    const { result } = (answers['discovered'] as { answer: { result: object } }).answer
    expect(result).not.toHaveProperty('capabilities.tasks')
    expect(result).toMatchObject({ capabilities: { tools: {}, resources: {}, prompts: {} } })
    expect(JSON.stringify(result)).not.toMatch(/listChanged|subscribe/)
  })
})
