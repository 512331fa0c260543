import { expect } from 'vitest'
import { type Feature, names, text, walk } from './feature.ts'

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
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      extensions: { 'io.modelcontextprotocol/ui': {} },
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
    const steps = [0, 50, 100].map((done) => [done, 100])
    const call = async (): Promise<unknown[]> => {
      const seen: unknown[] = []
      const onprogress = (step: { progress: number; total?: number | undefined }): void =>
        void seen.push([step.progress, step.total])
      expect(await driver.callTool('test_tool_with_progress', {}, { onprogress })).toMatchObject(
        text('Reported progress three times'),
      )
      expect(seen).toEqual(steps.slice(0, seen.length))
      return seen
    }
    // The official clients drop notifications that they read together with the response, which can happen on a
    // busy machine.
    let seen = await call()
    for (let again = 0; again < 20 && seen.length < steps.length; again++) seen = await call()
    expect(seen).toEqual(steps)
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
  async run(driver, transport) {
    const key = `${transport} ${Math.random()}`
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
    await driver.listen()
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

/** The handshake, lists, notifications and cancellation. */
export const CONVERSATION: readonly Feature[] = [
  initialize,
  ping,
  pagination,
  progress,
  logging,
  cancellation,
  listChanged,
  pipelining,
]
