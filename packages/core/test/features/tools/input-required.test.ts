import { describe, expect, it } from 'vitest'
import { tieredEngine } from '../../../src/schema/tiered-engine.ts'
import * as z from 'zod'
import { inputRequired } from '../../../src/features/tools/input-required.ts'
import { elicit, listRoots, sample } from '../../../src/call/input/question.ts'
import { McpServer } from '../../../src/server/mcp-server.ts'
import {
  accept,
  type Message,
  openAnsweringClient,
  type Script,
  textOf,
} from '../../support/answering-client.ts'
import { call as callMethod, errorOf } from '../helpers.ts'
import { createFeatures } from '../../../src/features/features.ts'
import { PARTS } from '../parts.ts'

const ok = z.object({ ok: z.boolean() })

describe('inputRequired in a tool', () => {
  const looping = (): { server: McpServer; runs: () => number } => {
    const server = new McpServer({ name: 'a', version: '1' })
    let runs = 0
    server.addTool({
      name: 'guess',
      handler: (_args, { inputs }) => {
        runs++
        const tries = Number(inputs.state ?? 0)
        const guess = inputs.get(`try ${tries}`, z.object({ n: z.number() }))
        if (guess?.n === 7) return `Right after ${tries}`
        const key = `try ${tries + 1}`
        return inputRequired(
          { [key]: elicit('A number?', z.object({ n: z.number() })) },
          { state: String(tries + 1) },
        )
      },
    })
    return { server, runs: () => runs }
  }

  it('asks, and runs the handler again with all answers and its state', async () => {
    const { server, runs } = looping()
    const numbers = [3, 5, 7]
    const client = await openAnsweringClient(server, { answer: () => accept({ n: numbers.shift() }) })
    expect(textOf(await client.call('guess'))).toBe('Right after 3')
    expect(client.asked).toHaveLength(3)
    expect(runs()).toBe(4)
  })

  it('stops after eight rounds', async () => {
    const { server } = looping()
    const client = await openAnsweringClient(server, { answer: () => accept({ n: 1 }) })
    const reply = await client.call('guess')
    expect(reply.result?.['isError']).toBe(true)
    expect(textOf(reply)).toContain('after 8 rounds')
  })

  const answered = async (answer: Script, see: boolean): Promise<Message> => {
    const server = new McpServer({ name: 'a', version: '1' })
    server.addTool({
      name: 'a',
      handler: (_args, { inputs }) => {
        if (!inputs.has('confirm')) return inputRequired({ confirm: elicit('Sure?', ok) })
        return see ? inputs.see('confirm', ok) : inputs.get('confirm', ok)
      },
    })
    return (await openAnsweringClient(server, { answer })).call('a')
  }

  it('reads a form with get, and a decline ends the call', async () => {
    expect(textOf(await answered(() => accept({ ok: true }), false))).toBe('{"ok":true}')
    const declined = await answered(() => ({ action: 'decline' }), false)
    expect(declined.result).toMatchObject({ isError: true })
    expect(textOf(declined)).toBe('The user declined: confirm')
    expect(textOf(await answered(() => accept({ ok: 1 }), false))).toContain('is not valid')
  })

  it('reads the action with see', async () => {
    expect(textOf(await answered(() => accept({ ok: true }), true))).toBe(
      '{"action":"accept","content":{"ok":true}}',
    )
    expect(textOf(await answered(() => ({ action: 'cancel' }), true))).toBe('{"action":"cancel"}')
  })

  it('must wrap a returned question', async () => {
    const errors: unknown[] = []
    const server = new McpServer({ name: 'a', version: '1' }, { onError: (error) => errors.push(error) })
    server.addTool({ name: 'a', handler: () => elicit('Sure?', ok) })
    const client = await openAnsweringClient(server)
    expect((await client.call('a')).result?.['isError']).toBe(true)
    expect(String(errors[0])).toContain('returned a question; declare it in asks')
  })

  it('accepts questions only', () => {
    expect(() => inputRequired({ confirm: 'Sure?' as never })).toThrow('"confirm" is not a question')
  })

  it('throws an error without a channel to the client', async () => {
    const { tools, methods } = createFeatures({ ...PARTS, schemas: tieredEngine(), publish: () => {} })
    tools.registry.add({ name: 'a', handler: () => inputRequired({ roots: listRoots() }) })
    expect(await errorOf(() => callMethod(methods, 'tools/call', { name: 'a' }))).toMatchObject({
      message: 'The outcome is needs-input',
    })
  })
})

describe('inputRequired in prompts and resources', () => {
  const served = (): McpServer => {
    const server = new McpServer({ name: 'a', version: '1' })
    server.addPrompt({
      name: 'greet',
      handler: (_args, { inputs }) => {
        const who = inputs.get('who', z.object({ name: z.string() }))
        return who === undefined
          ? inputRequired({ who: elicit('Who?', z.object({ name: z.string() })) })
          : `Hello ${who.name}`
      },
    })
    server.addResource({
      uri: 'a://summary',
      name: 'summary',
      handler: (_args, { inputs }) =>
        inputs.raw('said')?.['model'] ??
        inputRequired({ said: sample({ messages: [], maxTokens: 9 }), where: listRoots() }),
    })
    return server
  }

  it('works as in tools', async () => {
    const client = await openAnsweringClient(served(), {
      answer: ({ method }) => {
        if (method === 'elicitation/create') return accept({ name: 'Ada' })
        if (method === 'roots/list') return { roots: [] }
        return { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }
      },
    })
    const prompt = await client.request('prompts/get', { name: 'greet' })
    expect(prompt.result).toMatchObject({ messages: [{ content: { text: 'Hello Ada' } }] })
    const read = await client.request('resources/read', { uri: 'a://summary' })
    expect(read.result).toMatchObject({ contents: [{ text: 'm' }] })
  })

  it('ends with a protocol error on a decline', async () => {
    const client = await openAnsweringClient(served(), { answer: () => ({ action: 'decline' }) })
    const { error } = await client.request('prompts/get', { name: 'greet' })
    expect(error).toEqual({ code: -32600, message: 'The user declined: who' })
  })
})
