import { fileURLToPath } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { Differences, replaceObjects } from './support/compare.ts'
import { EVERYTHING_DIFFERENCES } from './support/everything-differences.ts'
import { connect, type OfficialClient, type Step, VERSIONS } from './support/official-client.ts'
import { original, port } from './support/programs.ts'

const [entry = ''] = original('everything')
const docs = fileURLToPath(new URL('docs', `file://${entry}`))
const differences = new Differences(EVERYTHING_DIFFERENCES)

/** Connects one client to the original and one to the port. */
async function connectBoth(version: (typeof VERSIONS)[number], capabilities: Record<string, unknown>) {
  const clients = await Promise.all([
    connect(version, { args: [entry], capabilities }),
    connect(version, { args: port('everything', 'stdio', docs), capabilities }),
  ])
  const close = () => Promise.all(clients.map((client) => client.close()))
  return { clients, [Symbol.asyncDispose]: async () => void (await close()) }
}

const call = (name: string, args: object = {}): Step => ({
  method: 'tools/call',
  params: { name, arguments: args },
})

describe.concurrent.each(VERSIONS)('the port of server-everything, for the official client %s', (version) => {
  it('offers the same tools as the original to a client without capabilities', async () => {
    await using both = await connectBoth(version, {})
    const [theirs, ours] = both.clients
    const step = { method: 'tools/list' }
    await vi.waitFor(async () => {
      const [expected, actual] = await Promise.all([theirs.run(step), ours.run(step)])
      expect(differences.remove(actual, step).answer).toEqual(differences.remove(expected, step).answer)
    })
  })

  it("lists the client's roots again after they have changed", async () => {
    await using both = await connectBoth(version, { roots: { listChanged: true } })
    const { clients } = both
    for (const roots of [
      [{ uri: 'file:///a', name: 'A' }],
      [{ uri: 'file:///b' }, { uri: 'file:///c' }],
      [],
    ]) {
      for (const client of clients) {
        client.reply({ 'roots/list': { roots } })
        await client.notify('notifications/roots/list_changed')
      }
      await vi.waitFor(async () => {
        const [expected, actual] = await Promise.all(clients.map(rootsOf))
        expect(actual).toEqual(expected)
        for (const { uri } of roots) expect(JSON.stringify(actual)).toContain(uri)
      })
    }
  })

  it('sends log messages at or above the level set by the client', async () => {
    await using both = await connectBoth(version, {})
    for (const client of both.clients) {
      await client.run({ method: 'logging/setLevel', params: { level: 'debug' } })
      const { answer } = await client.run(call('toggle-simulated-logging'))
      expect(JSON.stringify(answer)).toMatch(/Started simulated, random-leveled logging for session \S+ at/)
      await vi.waitFor(() => expect(client.notified()).toEqual([LOGGED]))
      const stopped = await client.run(call('toggle-simulated-logging'))
      expect(JSON.stringify(stopped.answer)).toContain('Stopped simulated logging')
    }
  })

  it.each([
    ['accepts', { action: 'accept', content: { interpretation: 'snake' } }, 'snake'],
    ['declines', { action: 'decline' }, 'User declined - using default interpretation'],
    ['cancels', { action: 'cancel' }, 'User cancelled - using default interpretation'],
  ])(
    'runs the research as a task with a question that the client %s',
    async (_title, reply, clarification) => {
      await using both = await connectBoth(version, { elicitation: {} })
      const { clients } = both
      for (const client of clients) client.reply({ 'elicitation/create': reply })
      const [expected, actual] = await Promise.all(clients.map(research))
      expect(actual).toEqual(expected)
      expect(JSON.stringify(actual)).toContain(`python (${clarification})`)
    },
  )
})

const LOGGED = {
  method: 'notifications/message',
  params: {
    level: expect.stringMatching(/^(?:debug|info|notice|warning|error|critical|alert|emergency)$/) as string,
    data: expect.stringMatching(/^[A-Z][a-z]+(?:-level | level-)message/) as string,
  },
}

async function rootsOf(client: OfficialClient): Promise<unknown> {
  return (await client.run(call('get-roots-list'))).answer
}

/** Runs two tasks, one of which asks a question. Returns their results, their last states, and the question. */
async function research(client: OfficialClient): Promise<unknown> {
  const start = (args: object): Step => ({
    method: 'tools/call',
    params: { ...call('simulate-research-query', args).params, task: {} },
  })
  const started = [
    (await client.run(start({ topic: 'tea' }))).answer,
    (await client.run(start({ topic: 'python', ambiguous: true }))).answer,
  ]
  const finished = []
  for (const answer of started) {
    const { taskId } = (answer as { task: { taskId: string } }).task
    const get: Step = { method: 'tasks/get', params: { taskId } }
    const state = async () => (await client.run(get)).answer as Record<string, unknown>
    await vi.waitFor(async () => expect(await state()).toMatchObject({ statusMessage: expect.any(String) }))
    const { answer: result, asked } = await client.run({ ...get, method: 'tasks/result' })
    finished.push({ result, asked, last: await state() })
  }
  const { answer: list } = await client.run({ method: 'tasks/list' })
  return replaceObjects({ started, finished, list }, comparable)
}

/**
 * The members that are ignored. The original keeps the status message of the last stage, but Jetway's tasks
 * have none before they start and after they end.
 */
const LEFT_OUT = new Set(['taskId', 'createdAt', 'lastUpdatedAt', 'statusMessage', '_meta'])
const comparable = (object: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !LEFT_OUT.has(name)))
