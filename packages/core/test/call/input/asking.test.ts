import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { asks } from '../../../src/features/tools/asks.ts'
import { inputRequired } from '../../../src/features/tools/input-required.ts'
import { McpServer, type ServerOptions } from '../../../src/index.ts'
import type { RequestContext } from '../../../src/call/request-context.ts'
import { elicit, elicitUrl, listRoots, sample } from '../../../src/call/input/question.ts'
import { accept, textOf } from '../../support/answering-client.ts'
import { addDeleteFolder, named, ok, path, WAYS } from '../../support/asking.ts'

/** A server with one tool, `a`. */
function serverOf(tool: object, options?: ServerOptions): McpServer {
  const server = new McpServer({ name: 'a', version: '1' }, options)
  server.addTool({ name: 'a', ...tool } as Parameters<McpServer['addTool']>[0])
  return server
}

describe.each(WAYS)('a call that asks %s', (way, ask, refused) => {
  const deleteFolder = async (folder: string, asking: object) => {
    const server = new McpServer({ name: 'files', version: '1' })
    const runs = addDeleteFolder(server)
    const params = { name: 'delete_folder', arguments: { path: folder } }
    return { runs, ...(await ask(server, { params, ...asking })) }
  }

  it('runs the handler without asking if an `asks` function returns a value', async () => {
    const { asked, reply, runs } = await deleteFolder('empty', { capabilities: {} })
    expect(textOf(reply)).toBe('Deleted empty')
    expect(asked).toEqual([])
    expect(runs).toEqual({ ask: 1, handler: 1 })
  })

  it.each([
    ['decline', 'The user declined: Delete all of a?'],
    ['cancel', 'The user closed without an answer: Delete all of a?'],
  ])('returns an error message for the model if the user action is %s', async (action, text) => {
    const { reply, runs } = await deleteFolder('a', { answer: () => ({ action }) })
    expect(reply.result).toEqual({ content: [{ type: 'text', text }], isError: true })
    expect(runs.handler).toBe(0)
  })

  it.each<[string, object, boolean]>([
    ['content that does not match the form', accept({ ok: 'yes' }), true],
    ['missing content', { action: 'accept' }, true],
    ['content that is not an object', { action: 'accept', content: [] }, false],
    ['an unknown action', { action: 'maybe', content: { ok: true } }, false],
    ['a missing action', { content: { ok: true } }, false],
    ['an answer without members', {}, false],
  ])('rejects %s', async (_what, answer, wellFormed) => {
    const { reply, runs } = await deleteFolder('a', { answer: () => answer })
    if (way === 'in results' && !wellFormed) expect(reply.error?.code).toBe(-32_602)
    else {
      expect(reply.result?.['isError']).toBe(true)
      expect(textOf(reply)).toContain('The answer to the question "confirm" is not valid')
    }
    expect(runs.handler).toBe(0)
  })

  it('asks questions in order if one depends on the answer to another', async () => {
    const runs = { folder: 0, confirm: 0, handler: 0 }
    const server = new McpServer({ name: 'a', version: '1' })
    server.addTool({
      name: 'a',
      handler: (_args, { answers }) => {
        runs.handler++
        return `${answers.folder.name} ${answers.confirm.action}`
      },
      inputSchema: path,
      asks: asks(path)
        .ask('folder', (args) => {
          runs.folder++
          return elicit(`Which in ${args.path}?`, named)
        })
        .ask('confirm', async (_args, ctx) => {
          runs.confirm++
          return elicit(`Really ${ctx.answers.folder.name}?`, ok, { declined: 'see' })
        }),
    })
    const { asked, reply } = await ask(server, {
      params: { name: 'a', arguments: { path: '/' } },
      answer: ({ params }) =>
        String(params?.['message']).startsWith('Which') ? accept({ name: 'docs' }) : { action: 'decline' },
    })
    expect(textOf(reply)).toBe('docs decline')
    expect(asked.map(({ params }) => params?.['message'])).toEqual(['Which in /?', 'Really docs?'])
    expect(runs).toEqual({ folder: 3, confirm: 3, handler: 1 })
  })

  it.each([
    [8, {}],
    [2, { limits: { maxInputRounds: 2 } }],
  ])('stops asking after %i rounds if the question changes each time', async (rounds, options) => {
    let runs = 0
    const one = () => elicit(`Take ${++runs}?`, ok)
    const server = serverOf({ asks: { one }, handler: () => 'unreachable' }, options)
    const { asked, reply } = await ask(server, { answer: () => accept({ ok: true }) })
    expect(reply.result?.['isError']).toBe(true)
    expect(textOf(reply)).toBe(`The call still had questions after ${rounds} rounds`)
    expect(asked).toHaveLength(rounds)
    expect(runs).toBe(rounds + 1)
  })

  const tools = { messages: [], maxTokens: 1, tools: [] }
  it.each<[string, () => unknown, object, object]>([
    ['a form', () => elicit('?', ok), {}, { elicitation: {} }],
    [
      'a form when the client opens only URLs',
      () => elicit('?', ok),
      { elicitation: { url: {} } },
      { elicitation: {} },
    ],
    ['sampling', () => sample({ messages: [], maxTokens: 1 }), { elicitation: {} }, { sampling: {} }],
    [
      'sampling with tools',
      () => sample(tools),
      { elicitation: {}, sampling: {} },
      { sampling: { tools: {} } },
    ],
    ['roots', () => listRoots(), { elicitation: {} }, { roots: {} }],
    ['a URL', () => elicitUrl('?', 'https://a'), { elicitation: {} }, { elicitation: { url: {} } }],
  ])(
    'names the missing capability instead of asking for %s',
    async (_what, question, capabilities, required) => {
      let ran = false
      const fine = () => elicit('Fine?', ok)
      const server = serverOf({ asks: { fine, one: question }, handler: () => (ran = true) })
      const { asked, reply } = await ask(server, { capabilities })
      expect(reply.error).toMatchObject({
        code: refused,
        message: expect.stringContaining('has not declared the capability') as string,
        data: { requiredCapabilities: required },
      })
      expect(ran).toBe(false)
      expect(asked).toEqual([])
    },
  )
})

describe.each(WAYS)('a handler that returns inputRequired to a client asked %s', (_way, ask) => {
  const guess = (numbers: number[]) => {
    const n = z.object({ n: z.number() })
    let runs = 0
    const handler = (_args: unknown, { inputs }: RequestContext) => {
      runs++
      const tries = Number(inputs.state ?? 0)
      const last = inputs.get(`try ${tries}`, n)
      if (last?.n === 7) return `Right after ${tries}`
      const key = `try ${tries + 1}`
      return inputRequired({ [key]: elicit(`Not ${last?.n}`, n) }, { state: String(tries + 1) })
    }
    const answer = () => accept({ n: numbers.shift() ?? 1 })
    return { ask: () => ask(serverOf({ handler }), { answer }), runs: () => runs }
  }

  it('runs again with all answers and its returned state', async () => {
    const game = guess([3, 5, 7])
    const { asked, reply } = await game.ask()
    expect(textOf(reply)).toBe('Right after 3')
    expect(asked.map(({ params }) => params?.['message'])).toEqual(['Not undefined', 'Not 3', 'Not 5'])
    expect(game.runs()).toBe(4)
  })

  it('fails after eight rounds', async () => {
    const { reply } = await guess([]).ask()
    expect(reply.result?.['isError']).toBe(true)
    expect(textOf(reply)).toContain('after 8 rounds')
  })

  it.each<[string, 'get' | 'see', object, string]>([
    ['a form with get', 'get', accept({ ok: true }), '{"ok":true}'],
    ['an invalid answer as an error', 'get', accept({ ok: 1 }), 'is not valid'],
    ['a declined form as an error', 'get', { action: 'decline' }, 'The user declined: confirm'],
    ['the action with `see`', 'see', accept({ ok: true }), '{"action":"accept","content":{"ok":true}}'],
    ['another action with `see`', 'see', { action: 'cancel' }, '{"action":"cancel"}'],
  ])('can read %s', async (_what, read, answer, text) => {
    const handler = (_args: unknown, { inputs }: RequestContext) =>
      inputs.has('confirm') ? inputs[read]('confirm', ok) : inputRequired({ confirm: elicit('Sure?', ok) })
    const { reply } = await ask(serverOf({ handler }), { answer: () => answer })
    if (text === 'is not valid') expect(textOf(reply)).toContain(text)
    else expect(textOf(reply)).toBe(text)
    expect(reply.result?.['isError']).toBe(text.startsWith('{') ? undefined : true)
  })

  it.each<[string, string, object, object]>([
    ['a prompt', 'prompts/get', { name: 'p' }, { messages: [{ content: { text: 'Ada m' } }] }],
    ['a resource', 'resources/read', { uri: 'a://b' }, { contents: [{ text: 'Ada m' }] }],
    ['a resource template', 'resources/read', { uri: 't://1' }, { contents: [{ text: 'Ada m' }] }],
  ])(
    'supports %s, and returns a protocol error if the user declines',
    async (_what, method, params, shown) => {
      const handler = (_args: unknown, { inputs }: RequestContext) => {
        const who = inputs.get('who', named)?.name
        if (who !== undefined) return `${who} ${String(inputs.raw('said')?.['model'])}`
        const said = sample({ messages: [], maxTokens: 9 })
        return inputRequired({ who: elicit('Who?', named), said, where: listRoots() })
      }
      const server = new McpServer({ name: 'a', version: '1' })
      server.addPrompt({ name: 'p', handler })
      server.addResource({ uri: 'a://b', name: 'r', handler })
      server.addResourceTemplate({ uriTemplate: 't://{x}', name: 't', handler })
      const askPerson = (form: object) =>
        ask(server, {
          method,
          params,
          answer: (question) => {
            if (question.method === 'roots/list') return { roots: [] }
            if (question.method === 'elicitation/create') return form
            return { role: 'assistant', content: { type: 'text', text: 'hi' }, model: 'm' }
          },
        })
      expect((await askPerson(accept({ name: 'Ada' }))).reply.result).toMatchObject(shown)
      const declined = await askPerson({ action: 'decline' })
      expect(declined.reply.error).toEqual({ code: -32_600, message: 'The user declined: who' })
    },
  )
})
