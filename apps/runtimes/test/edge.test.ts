import { defineResourceTemplate } from '@jetway/core'
import { McpServer } from '@jetway/core/edge'
import { beforeAll, describe, expect, it } from 'vitest'
import { pack, printed } from './support/bundle.ts'

type Responses = Readonly<Record<string, unknown>>

const responsesOf = async (fixture: string): Promise<Responses> => {
  const bundle = await pack(new URL(`./fixtures/${fixture}`, import.meta.url))
  return (await printed(bundle, 'await import(process.argv[1])')) as Responses
}

describe('a server without sessions', () => {
  let answers: Responses
  beforeAll(async () => {
    answers = await responsesOf('stateless-features.ts')
  })
  const text = (said: string): object => ({ status: 200, answer: { result: { content: [{ text: said }] } } })

  it('asks questions in rounds, using zod forms', () => {
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

  it('serves resource templates and completions', () => {
    expect(answers['readByTemplate']).toMatchObject({
      answer: { result: { contents: [{ text: 'Of anything' }] } },
    })
    expect(answers['completed']).toMatchObject({ answer: { result: { completion: { values: ['Basel'] } } } })
  })

  it('handles messages from a queue', () => {
    expect(answers['handedOver']).toMatchObject({ id: 1, result: {} })
  })

  it('cannot send questions to session-era clients', () => {
    expect(answers['askedEarlier']).toMatchObject({
      answer: { error: { message: expect.stringContaining('cannot carry questions') as unknown } },
    })
  })

  it('rejects questions asked inside a handler, and suggests a remedy', () => {
    expect(answers['askedNow']).toMatchObject({ answer: { result: { isError: true } } })
    expect(answers['failures']).toEqual([expect.stringContaining('ERR_MCP_UNSUPPORTED_HERE')])
  })
})

describe('the edge preset', () => {
  let answers: Responses
  beforeAll(async () => {
    answers = await responsesOf('edge-features.ts')
  })

  it('serves resources, prompts and completions', () => {
    expect(answers['read']).toMatchObject({ answer: { result: { contents: [{ text: 'A note' }] } } })
    expect(answers['prompted']).toMatchObject({
      answer: { result: { messages: [{ content: { text: 'Of Bern' } }] } },
    })
    expect(answers['completed']).toMatchObject({ answer: { result: { completion: { values: ['Basel'] } } } })
  })

  it('serves session-era clients without a session', () => {
    expect(answers['readEarlier']).toMatchObject({ status: 200, answer: { result: { contents: [{}] } } })
    expect(answers['batchEarlier']).toMatchObject({ status: 200, answer: [{ id: 1, result: {} }] })
    expect(answers['notified']).toMatchObject({ status: 202 })
  })

  it('refuses methods that require a session', () => {
    expect(answers['opened']).toMatchObject({ status: 405 })
    expect(answers['deleted']).toMatchObject({ status: 405 })
    expect(answers['listening']).toMatchObject({ status: 404, answer: { error: { code: -32601 } } })
    expect(answers['task']).toMatchObject({ status: 404, answer: { error: { code: -32601 } } })
    expect(answers['subscribedEarlier']).toMatchObject({ answer: { error: { code: -32601 } } })
  })

  it('rejects questions asked inside a handler, and suggests a remedy', () => {
    expect(answers['askedNow']).toMatchObject({ answer: { result: { isError: true } } })
    expect(answers['failures']).toEqual([expect.stringContaining('ERR_MCP_UNSUPPORTED_HERE')])
  })

  it('announces only capabilities that it has', () => {
    const { result } = (answers['discovered'] as { answer: { result: object } }).answer
    expect(result).not.toHaveProperty('capabilities.tasks')
    expect(result).toMatchObject({ capabilities: { tools: {}, resources: {}, prompts: {} } })
    expect(JSON.stringify(result)).not.toMatch(/listChanged|subscribe/)
  })

  it('rejects definitions that require another preset', () => {
    const server = new McpServer({ name: 'edge', version: '1.0.0' })
    const asks = { sure: () => true }
    expect(() => server.addTool({ name: 'ask', asks, handler: () => '' })).toThrow(
      /tool "ask" has asks.*@jetway\/core .*ERR_MCP_INVALID_DEFINITION/,
    )
    const template = defineResourceTemplate({ uriTemplate: 'a://{b}', name: 'a', handler: () => '' })
    expect(() => server.add(template)).toThrow(
      /template "a:\/\/{b}".*@jetway\/core .*ERR_MCP_INVALID_DEFINITION/,
    )
  })
})
