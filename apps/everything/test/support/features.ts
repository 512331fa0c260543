import { expect } from 'vitest'
import type { Driver, Loose } from './clients.ts'

/** One thing that every client can do over every door. */
export interface Feature {
  readonly name: string
  run(driver: Driver, door: string): Promise<void>
}

const text = (value: string): object => ({ content: [{ type: 'text', text: value }] })
const names = (items: readonly Loose[]): unknown[] => items.map(({ name }) => name)

async function walk(driver: Driver, method: string, key: string): Promise<{ pages: number; items: Loose[] }> {
  const items: Loose[] = []
  let cursor: unknown
  let pages = 0
  do {
    const page = await driver.request(method, cursor === undefined ? {} : { cursor })
    items.push(...(page[key] as Loose[]))
    cursor = page['nextCursor']
    pages += 1
  } while (cursor !== undefined && pages < 100)
  return { pages, items }
}

const initialize: Feature = {
  name: 'initialize: the server introduces itself and says what it can do',
  async run(driver) {
    const { info, capabilities, instructions } = driver.server()
    expect(info).toMatchObject({ name: 'everything', version: '1.0.0', title: 'Everything' })
    expect(instructions).toBe('A server for tests: nothing here is of use.')
    expect(capabilities).toEqual({
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    })
    expect(await driver.callTool('describe_call')).toMatchObject({
      structuredContent: { client: 'matrix', protocolVersion: '2025-11-25', session: true },
    })
  },
}

const ping: Feature = {
  name: 'ping: answered with an empty result',
  run: async (driver) => expect(await driver.ping()).toEqual({}),
}

const toolsList: Feature = {
  name: 'tools/list: names, schemas, annotations, icons and metadata arrive',
  async run(driver) {
    const { items } = await walk(driver, 'tools/list', 'tools')
    expect(items.find(({ name }) => name === 'echo')).toMatchObject({
      title: 'Echo',
      description: 'Gives back the text it is given',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
      icons: [{ src: 'https://example.com/echo.png' }],
      _meta: { 'dev.jetway/example': true },
    })
    expect(items.find(({ name }) => name === 'statistics')).toMatchObject({
      outputSchema: { type: 'object' },
    })
  },
}

const toolsCall: Feature = {
  name: 'tools/call: every kind of content arrives',
  async run(driver) {
    const odd = 'line\nbreak, "quotes", \u2028 and 👩‍🚀'
    expect(await driver.callTool('echo', { text: odd })).toMatchObject(text(odd))
    expect(await driver.callTool('test_image_content')).toMatchObject({
      content: [{ type: 'image', mimeType: 'image/png', data: expect.stringMatching(/^iVBOR/) }],
    })
    expect(await driver.callTool('test_audio_content')).toMatchObject({
      content: [{ type: 'audio', mimeType: 'audio/wav', data: expect.stringMatching(/^UklGR/) }],
    })
    expect(await driver.callTool('test_multiple_content_types')).toMatchObject({
      content: [{ type: 'text' }, { type: 'image' }, { type: 'resource' }],
    })
    expect(await driver.callTool('resource_link')).toMatchObject({
      content: [{ type: 'resource_link', uri: 'test://static-text', name: 'static-text' }],
    })
  },
}

const toolErrors: Feature = {
  name: 'tools/call: a failure and bad arguments are for the model, an unknown tool is an error',
  async run(driver) {
    expect(await driver.callTool('test_error_handling')).toMatchObject({
      isError: true,
      ...text('This tool intentionally returns an error for testing'),
    })
    const refused = await driver.callTool('echo', { text: 5 })
    expect(refused).toMatchObject({ isError: true })
    expect(JSON.stringify(refused['content'])).toContain('text')
    await expect(driver.callTool('no_such_tool')).rejects.toMatchObject({ code: -32602 })
  },
}

const structured: Feature = {
  name: 'tools/call: structured output satisfies the schema that the client holds it against',
  async run(driver) {
    // With the list in hand, the clients validate what comes back.
    await driver.listTools()
    const statistics = { sum: 6, mean: 2, range: { min: 1, max: 3 } }
    expect(await driver.callTool('statistics', { numbers: [1, 2, 3] })).toMatchObject({
      structuredContent: statistics,
      ...text(JSON.stringify(statistics)),
    })
    // An output that is no object is beyond what these revisions can say: its text is what they get.
    const squares = await driver.callTool('squares', { count: 3 })
    expect(squares).toMatchObject(text('[1,4,9]'))
    expect(squares).not.toHaveProperty('structuredContent')
    expect(await driver.callTool('full_result')).toMatchObject({
      structuredContent: { answer: 42 },
      _meta: { 'dev.jetway/source': 'a book' },
      ...text('The answer is forty-two'),
    })
  },
}

const resources: Feature = {
  name: 'resources: listed and read as text, bytes and JSON; an unknown one is an error',
  async run(driver) {
    const { items } = await walk(driver, 'resources/list', 'resources')
    expect(names(items)).toEqual(
      expect.arrayContaining(['static-text', 'static-binary', 'watched-resource', 'json']),
    )
    expect(await driver.readResource('test://static-text')).toMatchObject({
      contents: [
        { uri: 'test://static-text', mimeType: 'text/plain', text: expect.stringContaining('content of') },
      ],
    })
    expect(await driver.readResource('test://static-binary')).toMatchObject({
      contents: [
        { uri: 'test://static-binary', mimeType: 'image/png', blob: expect.stringMatching(/^iVBOR/) },
      ],
    })
    const { contents } = await driver.readResource('test://json')
    const [{ text: json, mimeType } = {}] = contents as Loose[]
    expect(mimeType).toBe('application/json')
    expect(JSON.parse(String(json))).toMatchObject({ colours: expect.arrayContaining(['blue']) })
    // The clients disagree on the code that they show for it.
    await expect(driver.readResource('test://nowhere')).rejects.toMatchObject({
      message: expect.stringContaining('Resource not found'),
      data: { uri: 'test://nowhere' },
    })
  },
}

const templates: Feature = {
  name: 'resource templates: listed, and filled in with what the address says',
  async run(driver) {
    const templatesListed = await driver.listResourceTemplates()
    expect(templatesListed.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'test://template/{id}/data',
      'test://colours/{colour}',
    ])
    const { contents } = await driver.readResource('test://template/a%20b/data')
    const [{ uri, text: json } = {}] = contents as Loose[]
    expect(uri).toBe('test://template/a%20b/data')
    expect(JSON.parse(String(json))).toEqual({ id: 'a b', templateTest: true, data: 'Data for ID: a b' })
  },
}

const subscriptions: Feature = {
  name: 'resources/subscribe: an update is announced, until the client unsubscribes',
  async run(driver) {
    const method = 'notifications/resources/updated'
    await driver.listening
    await driver.subscribe('test://watched-resource')
    const update = driver.inbox.next(method)
    await driver.callTool('touch_watched_resource')
    expect(await update).toMatchObject({ params: { uri: 'test://watched-resource' } })

    await driver.unsubscribe('test://watched-resource')
    driver.inbox.clear()
    await driver.callTool('touch_watched_resource')
    // The announcement of another change comes after one of the update would have come.
    const changed = driver.inbox.next('notifications/prompts/list_changed')
    await driver.callTool('add_prompt', { name: 'fence' })
    await changed
    await driver.callTool('remove_prompt', { name: 'fence' })
    expect(driver.inbox.of(method)).toEqual([])
  },
}

const prompts: Feature = {
  name: 'prompts: listed and got, with arguments, resources and images; a missing argument is an error',
  async run(driver) {
    const { items } = await walk(driver, 'prompts/list', 'prompts')
    expect(items.find(({ name }) => name === 'test_prompt_with_arguments')).toMatchObject({
      arguments: [
        { name: 'arg1', description: 'First test argument', required: true },
        { name: 'arg2', required: true },
      ],
    })
    expect(await driver.getPrompt('test_prompt_with_arguments', { arg1: 'x', arg2: 'y' })).toMatchObject({
      messages: [
        { role: 'user', content: { type: 'text', text: "Prompt with arguments: arg1='x', arg2='y'" } },
      ],
    })
    expect(
      await driver.getPrompt('test_prompt_with_embedded_resource', { resourceUri: 'test://anything' }),
    ).toMatchObject({ messages: [{ content: { resource: { uri: 'test://anything' } } }, { role: 'user' }] })
    expect(await driver.getPrompt('test_prompt_with_image')).toMatchObject({
      messages: [{ content: { type: 'image', mimeType: 'image/png' } }, { role: 'user' }],
    })
    expect(await driver.getPrompt('conversation')).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant', content: { text: 'I am' } }],
    })
    await expect(driver.getPrompt('test_prompt_with_arguments', { arg1: 'x' })).rejects.toMatchObject({
      code: -32602,
    })
    await expect(driver.getPrompt('no_such_prompt')).rejects.toMatchObject({ code: -32602 })
  },
}

const completion: Feature = {
  name: 'completion/complete: a prompt argument and a template variable go on from what was typed',
  async run(driver) {
    const prompt = { type: 'ref/prompt', name: 'test_prompt_with_arguments' } as const
    expect(await driver.complete(prompt, 'arg1', 'he')).toMatchObject({
      completion: { values: ['hello', 'hey'] },
    })
    expect(await driver.complete(prompt, 'arg2', 'he')).toMatchObject({ completion: { values: [] } })
    const template = { type: 'ref/resource', uri: 'test://colours/{colour}' } as const
    expect(await driver.complete(template, 'colour', 'b')).toMatchObject({
      completion: { values: ['black', 'blue', 'brown'] },
    })
  },
}

const pagination: Feature = {
  name: 'pagination: cursors lead through every list once; a cursor that was made up is an error',
  async run(driver) {
    for (const [method, key] of [
      ['tools/list', 'tools'],
      ['prompts/list', 'prompts'],
    ] as const) {
      const { pages, items } = await walk(driver, method, key)
      expect(pages).toBe(Math.ceil(items.length / 4))
      expect(new Set(names(items)).size).toBe(items.length)
    }
    const known = (await walk(driver, 'tools/list', 'tools')).items
    expect(names(known)).toEqual(expect.arrayContaining(names(await driver.listTools())))
    await expect(driver.request('tools/list', { cursor: 'made up' })).rejects.toMatchObject({ code: -32602 })
  },
}

const progress: Feature = {
  name: 'progress: reported while the call runs, in order',
  async run(driver) {
    const seen: unknown[] = []
    const onprogress = ({ progress: done, total }: { progress: number; total?: number | undefined }): void =>
      void seen.push([done, total])
    expect(await driver.callTool('test_tool_with_progress', {}, { onprogress })).toMatchObject(
      text('Reported progress three times'),
    )
    expect(seen).toEqual([
      [0, 100],
      [50, 100],
      [100, 100],
    ])
  },
}

const logging: Feature = {
  name: 'logging: messages of the level that the client chose, and graver ones, arrive before the answer',
  async run(driver) {
    const levels = (): unknown[] =>
      driver.inbox.of('notifications/message').map(({ params }) => params?.['level'])
    await driver.setLoggingLevel('error')
    driver.inbox.clear()
    await driver.callTool('log_every_level', { logger: 'matrix' })
    expect(levels()).toEqual(['error', 'critical', 'alert', 'emergency'])
    expect(driver.inbox.of('notifications/message')[0]?.params).toEqual({
      level: 'error',
      logger: 'matrix',
      data: { severity: 'error' },
    })
    await driver.setLoggingLevel('debug')
    driver.inbox.clear()
    await driver.callTool('log_every_level')
    expect(levels()).toHaveLength(8)
    await driver.setLoggingLevel('info')
  },
}

const cancellation: Feature = {
  name: 'cancellation: reaches the handler, and the call ends for the client',
  async run(driver, door) {
    const key = `${door} ${Math.random()}`
    const controller = new AbortController()
    const call = driver.callTool(
      'wait_for_cancellation',
      { key },
      { signal: controller.signal, onprogress: () => controller.abort('enough') },
    )
    await expect(call).rejects.toThrow()
    let outcome: unknown
    for (let asked = 0; asked < 500; asked++) {
      outcome = (await driver.callTool('outcome_of_wait', { key }))['content']
      if (JSON.stringify(outcome).includes('cancelled')) break
    }
    expect(outcome).toMatchObject([{ text: 'cancelled' }])
  },
}

const listChanged: Feature = {
  name: 'list_changed: tools, resources and prompts that come and go are announced, and can be used',
  async run(driver) {
    await driver.listening
    const change = async (kind: string, tool: string): Promise<void> => {
      const announced = driver.inbox.next(`notifications/${kind}/list_changed`)
      await driver.callTool(tool, { name: 'one' })
      expect(await announced).toMatchObject({ method: `notifications/${kind}/list_changed` })
    }
    await change('tools', 'add_tool')
    expect(await driver.callTool('added_one')).toMatchObject(text('one'))
    await change('tools', 'remove_tool')
    await expect(driver.callTool('added_one')).rejects.toMatchObject({ code: -32602 })

    await change('resources', 'add_resource')
    expect(await driver.readResource('added://one')).toMatchObject({ contents: [{ text: 'one' }] })
    await change('resources', 'remove_resource')

    await change('prompts', 'add_prompt')
    expect(await driver.getPrompt('added_one')).toMatchObject({ messages: [{ content: { text: 'one' } }] })
    await change('prompts', 'remove_prompt')
  },
}

const pipelining: Feature = {
  name: 'fifty calls at once: each gets its own answer',
  async run(driver) {
    const texts = Array.from({ length: 50 }, (_, index) => `call ${index}`)
    const answers = await Promise.all(texts.map((value) => driver.callTool('echo', { text: value })))
    expect(answers).toMatchObject(texts.map(text))
  },
}

/** In the order in which they run. */
export const FEATURES: readonly Feature[] = [
  initialize,
  ping,
  toolsList,
  toolsCall,
  toolErrors,
  structured,
  resources,
  templates,
  subscriptions,
  prompts,
  completion,
  pagination,
  progress,
  logging,
  cancellation,
  listChanged,
  pipelining,
]
