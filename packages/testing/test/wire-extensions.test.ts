import { silent } from '@jetway-apps/test-support'
import { elicit, inputRequired, listRoots, McpError, McpServer, tasks, ToolError } from '@jetway/core'
import type { JsonObject } from '@jetway/core/protocol'
import { skills } from '@jetway/skills'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryTransport } from '../src/matrix-transports.ts'
import { connectPeer, type TestConnection } from '../src/peer.ts'
import { recordTransport, type RecordedFrame } from '../src/record-transport.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'
import { type Answer, requestInRounds } from './support/rounds.ts'
import { faults } from './support/telling-server.ts'
import { validateWire } from './support/wire.ts'

const REVISION = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'
const TRANSPORTS = [memoryTransport, ...HOST_TRANSPORTS].map(
  (transport) => [transport.name, transport] as const,
)

type Dial = (capabilities?: JsonObject) => Promise<TestConnection>

/** Serves a server, and records the messages of every client. */
async function serve(
  server: McpServer,
  over: (typeof TRANSPORTS)[number][1],
): Promise<{ dial: Dial; frames: () => RecordedFrame[] }> {
  const served = await over.open(server)
  onTestFinished(() => served.close())
  const recordings: (readonly RecordedFrame[])[] = []
  const dial: Dial = async (capabilities = {}) => {
    const { transport, frames } = recordTransport(await served.dial())
    recordings.push(frames)
    const peer = await connectPeer(transport, { revision: REVISION, capabilities })
    onTestFinished(() => peer.close())
    return peer
  }
  return { dial, frames: () => recordings.flat() }
}

const FORM = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] } as const
const ANSWERS: Readonly<Record<string, JsonObject>> = {
  'elicitation/create': { action: 'accept', content: { ok: true } },
  'roots/list': { roots: [] },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'x' }, model: 'm' },
}
const answer: Answer = (method) => ANSWERS[method]

/** Adds a tool for every way in which a task can end. */
function createTaskServer(options: object): McpServer {
  const server = new McpServer(
    { name: 'wire', version: '1.0.0' },
    { ...options, extensions: [tasks()], logger: silent },
  )
  server.addTool({
    name: 'works',
    taskSupport: 'optional',
    asks: { sure: () => elicit('Sure?', FORM) },
    outputSchema: { type: 'array' },
    async handler(_args, ctx) {
      await ctx.progress(1, 2, 'Half of it')
      ctx.log.error('not for tasks')
      const [said, roots] = await Promise.all([ctx.elicit('Really?', FORM), ctx.listRoots()])
      await ctx.sample({ messages: [{ role: 'user', content: { type: 'text', text: 'x' } }], maxTokens: 1 })
      return [said.ok, roots.length]
    },
  })
  server.addTool({
    name: 'rounds',
    taskSupport: 'required',
    handler: (_args, { inputs }) => (inputs.has('it') ? 'done' : inputRequired({ it: listRoots() })),
  })
  server.addTool({
    name: 'fails',
    taskSupport: 'required',
    inputSchema: { type: 'object', properties: { how: { type: 'string' } } },
    handler: ({ how }) => {
      if (how === 'mcp') throw new McpError(-32_000, 'Broken', { at: { depth: 1 } })
      if (how === 'bare mcp') throw new McpError(-32_001, 'Broken')
      if (how === 'tool') throw new ToolError('Not today')
      throw new Error('canary')
    },
  })
  server.addTool({ name: 'hangs', taskSupport: 'required', handler: () => new Promise(() => {}) })
  return server
}

/** Starts a task, subscribes to it, and answers its questions until the task has ended. */
async function follow(
  peer: TestConnection,
  name: string,
  args: JsonObject = {},
): Promise<{ readonly taskId: string; readonly final: JsonObject }> {
  const { result } = await requestInRounds(peer, 'tools/call', { name, arguments: args }, answer)
  const taskId = result?.['taskId'] as string
  void peer
    .request('subscriptions/listen', { notifications: { taskIds: [taskId] } }, { id: `of ${taskId}` })
    .catch(() => {})
  const told = async (fits: (task: JsonObject) => boolean): Promise<JsonObject> =>
    (await peer.notification('notifications/tasks', (task) => task['taskId'] === taskId && fits(task)))
      .params ?? {}
  await peer.request('tasks/get', { taskId })
  if (name === 'hangs') await peer.request('tasks/cancel', { taskId })
  const answered = new Set<string>()
  for (;;) {
    const task = await told(
      ({ status, inputRequests = {} }) =>
        !['working', 'input_required'].includes(status as string) ||
        Object.keys(inputRequests as object).some((key) => !answered.has(key)),
    )
    await peer.request('tasks/get', { taskId })
    if (task['status'] !== 'input_required') return { taskId, final: task }
    const asked = Object.entries(task['inputRequests'] as Record<string, { method: string }>)
    const inputResponses = Object.fromEntries(asked.map(([key, { method }]) => [key, ANSWERS[method]]))
    for (const [key] of asked) answered.add(key)
    await peer.request('tasks/update', { taskId, inputResponses })
  }
}

/** Returns the tasks in the received messages. */
const shownIn = (frames: readonly RecordedFrame[], where: 'result' | 'params'): JsonObject[] =>
  frames.flatMap(({ direction, message }) => {
    const shown = (message as JsonObject | undefined)?.[where] as JsonObject | undefined
    return direction === 'received' && typeof shown?.['taskId'] === 'string' ? [shown] : []
  })
const statuses = (shown: readonly JsonObject[]): string[] =>
  [...new Set(shown.map(({ status }) => String(status)))].toSorted()

const ALL = ['cancelled', 'completed', 'failed', 'input_required', 'working']
const KINDS = { 'with the session revisions': {}, alone: { revisions: [REVISION] } } as const

// https://modelcontextprotocol.io/seps/2663-tasks-extension
describe.each(TRANSPORTS)('task messages without sessions over %s', (_name, transport) => {
  it.each(Object.entries(KINDS))(
    'match the extension schema: handles, states, acknowledgements, notifications and errors (%s)',
    async (_kind, options) => {
      const { dial, frames } = await serve(createTaskServer(options), transport)
      const peer = await dial({ elicitation: {}, roots: {}, sampling: {}, extensions: { [TASKS]: {} } })
      expect(peer.initialized['capabilities']).toMatchObject({ extensions: { [TASKS]: {} } })
      await peer.request('tools/list')
      const ends = [
        await follow(peer, 'works'),
        await follow(peer, 'rounds'),
        await follow(peer, 'hangs'),
        await follow(peer, 'fails', { how: 'mcp' }),
        await follow(peer, 'fails', { how: 'bare mcp' }),
        await follow(peer, 'fails', { how: 'tool' }),
        await follow(peer, 'fails', { how: 'error' }),
      ]
      expect(ends.map(({ final }) => final['status'])).toEqual([
        'completed',
        'completed',
        'cancelled',
        'failed',
        'failed',
        'completed',
        'completed',
      ])
      expect(ends[0]?.final).toMatchObject({ result: { structuredContent: [true, 0] } })
      for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel'])
        for (const params of [{ taskId: 'never', inputResponses: {} }, {}])
          expect((await peer.request(method, params)).error?.code).toBe(-32602)

      const stranger = await dial()
      for (const [method, params] of [
        ['tools/call', { name: 'hangs' }],
        ['tasks/get', { taskId: ends[0]?.taskId }],
        ['subscriptions/listen', { notifications: { taskIds: [] } }],
      ] as const)
        expect((await stranger.request(method, params)).error).toMatchObject({
          code: -32021,
          data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
        })

      expect(faults(REVISION, frames(), ['tasks'])).toEqual([])
      expect(JSON.stringify(frames())).not.toContain('canary')
      expect(statuses(shownIn(frames(), 'result'))).toEqual(ALL)
      expect(statuses(shownIn(frames(), 'params'))).toEqual(ALL)
      // A task has the same result as its call would have had.
      const outcomes = [...shownIn(frames(), 'result'), ...shownIn(frames(), 'params')].flatMap(
        ({ result }) => (result === undefined ? [] : [result as JsonObject]),
      )
      expect(outcomes.length).toBeGreaterThanOrEqual(2 * 4)
      for (const result of outcomes) {
        const message = { jsonrpc: '2.0', id: 0, result: { resultType: 'complete', ...result } }
        const context = { direction: 'server', result: 'CallToolResult' } as const
        expect(validateWire(REVISION, message, context)).toEqual([])
        expect(result['resultType'] ?? 'complete').toBe('complete')
      }
    },
  )

  it('do not occur if the server lacks the extension', async () => {
    const server = new McpServer({ name: 'wire', version: '1.0.0' }, { logger: silent })
    server.addTool({ name: 'must', taskSupport: 'required', handler: (_args, ctx) => ctx.task?.id ?? 'none' })
    const { dial, frames } = await serve(server, transport)
    const peer = await dial({ extensions: { [TASKS]: {} } })
    await peer.request('tools/list')
    expect((await peer.request('tools/call', { name: 'must' })).result).toMatchObject({
      content: [{ text: 'none' }],
    })
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel', 'tasks/list', 'tasks/result'])
      expect((await peer.request(method, { taskId: 'a' })).error?.code).toBe(-32601)
    expect(faults(REVISION, frames())).toEqual([])
    const said = frames().filter(({ direction }) => direction === 'received')
    expect(said.map(({ text }) => text).join()).not.toMatch(/task[A-Z]|"tasks"/)
  })
})

/** Skills of every form, and more of them than fit on a page. */
const createSkillServer = (options: object): McpServer =>
  new McpServer(
    { name: 'wire', version: '1.0.0' },
    {
      ...options,
      logger: silent,
      extensions: [
        skills({
          directoryRead: true,
          pageSize: 2,
          cache: { ttlMs: 1000, cacheScope: 'public' },
          skills: [
            {
              name: 'git-workflow',
              path: 'team/git-workflow',
              description: 'How this team branches',
              frontmatter: { license: 'MIT', metadata: { version: '2.1.0', tags: ['a', null, 1.5] } },
              instructions: '# Branches',
              files: { 'references/deep/NAMES.md': 'x', 'assets/logo.png': new Uint8Array([137, 0, 255]) },
            },
            { name: 'names', path: 'team/git-workflow/names', description: 'Nested', instructions: 'x' },
            { name: 'today', description: 'Made anew', instructions: () => 'now' },
          ],
        }),
      ],
    },
  )

/** Reads a complete list, page by page. */
async function walk(
  peer: TestConnection,
  method: string,
  member: string,
  params: JsonObject = {},
): Promise<JsonObject[]> {
  const items: JsonObject[] = []
  let cursor: JsonObject = {}
  for (;;) {
    const { result = {} } = await peer.request(method, { ...params, ...cursor })
    items.push(...((result[member] ?? []) as JsonObject[]))
    if (result['nextCursor'] === undefined) return items
    cursor = { cursor: result['nextCursor'] }
  }
}

// https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
describe.each(TRANSPORTS)('skill messages over %s', (_name, transport) => {
  it.each(Object.entries(KINDS))(
    'match the extension specification: lists, entries, folders, files and errors (%s)',
    async (_kind, options) => {
      const { dial, frames } = await serve(createSkillServer(options), transport)
      const peer = await dial()
      expect(peer.initialized['capabilities']).toMatchObject({
        resources: {},
        extensions: { 'io.modelcontextprotocol/skills': { directoryRead: true } },
      })
      const listed = await walk(peer, 'skills/list', 'skills')
      expect(
        listed.map(({ uri, resources }) => [uri, Array.isArray(resources) ? resources.length : resources]),
      ).toEqual([
        ['skill://team/git-workflow/SKILL.md', 4],
        ['skill://team/git-workflow/names/SKILL.md', 1],
        ['skill://today/SKILL.md', 'dynamic'],
      ])
      for (const skill of listed) {
        const { result } = await peer.request('skills/get', { uri: skill['uri'] })
        expect(result).toMatchObject({ skill, ttlMs: 1000, cacheScope: 'public' })
        await peer.request('resources/read', { uri: skill['uri'] })
      }
      const folder = { uri: 'skill://team/git-workflow' }
      const children = await walk(peer, 'resources/directory/read', 'resources', folder)
      expect(children.map(({ name, mimeType }) => [name, mimeType])).toEqual([
        ['git-workflow', 'text/markdown'],
        ['assets', 'inode/directory'],
        ['names', 'inode/directory'],
        ['references', 'inode/directory'],
      ])
      await walk(peer, 'resources/list', 'resources')
      await peer.request('resources/read', { uri: 'skill://team/git-workflow/assets/logo.png' })
      const refused: readonly [method: string, params: JsonObject][] = [
        ['skills/list', { cursor: 'x' }],
        ['skills/get', { uri: 'skill://team/SKILL.md' }],
        ['skills/get', {}],
        ['resources/directory/read', { uri: 'skill://today/SKILL.md' }],
        ['resources/directory/read', { uri: 'skill://never' }],
        ['resources/directory/read', { ...folder, cursor: 'x' }],
        ['resources/read', { uri: 'skill://today/other.md' }],
      ]
      for (const [method, params] of refused)
        expect([method, (await peer.request(method, params)).error?.code]).toEqual([method, -32602])
      expect(faults(REVISION, frames(), ['skills'])).toEqual([])
    },
  )
})

describe('the schema for a specific error code', () => {
  const refuse = (code: number, data?: object): readonly string[] =>
    validateWire(
      REVISION,
      { jsonrpc: '2.0', id: 1, error: { code, message: 'No', ...(data && { data }) } },
      { direction: 'server' },
    )

  it.each([
    [
      -32021,
      { requiredCapabilities: { elicitation: { form: {} } } },
      { requiredCapabilities: ['elicitation'] },
    ],
    [-32021, { requiredCapabilities: { extensions: { [TASKS]: {} } } }, {}],
    [-32022, { supported: [REVISION], requested: '1999-01-01' }, { supported: [REVISION] }],
    [-32022, { supported: [], requested: '' }, { supported: [], requested: '', more: 'than there is' }],
  ])('checks the `data` property of error %i', (code, right, wrong) => {
    expect(refuse(code, right)).toEqual([])
    expect(refuse(code, wrong)).not.toEqual([])
    expect(refuse(code)).not.toEqual([])
  })
})

describe('the extension schemas', () => {
  const task = {
    taskId: 't',
    status: 'working',
    createdAt: '2026-07-28T00:00:00Z',
    lastUpdatedAt: '2026-07-28T00:00:00Z',
    ttlMs: null,
  }
  const file = { uri: 'skill://a/SKILL.md', digest: `sha256:${'0'.repeat(64)}`, size: 1 }
  const skill = { uri: 'skill://a/SKILL.md', frontmatter: { name: 'a', description: 'b' }, resources: [file] }
  const page = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
  const check = (method: string, result: object, extension: 'tasks' | 'skills'): readonly string[] =>
    validateWire(
      REVISION,
      { jsonrpc: '2.0', id: 1, result },
      { direction: 'server', method, extensions: [extension] },
    )
  const tell = (params: object): readonly string[] =>
    validateWire(
      REVISION,
      { jsonrpc: '2.0', method: 'notifications/tasks', params },
      { direction: 'server', extensions: ['tasks'] },
    )

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'a handle with an unknown member',
      check('tools/call', { resultType: 'task', ...task }, 'tasks'),
      check('tools/call', { resultType: 'task', ...task, ttl: 5 }, 'tasks'),
    ],
    [
      'a task whose state has no result',
      check('tasks/get', { resultType: 'complete', ...task }, 'tasks'),
      check('tasks/get', { resultType: 'complete', ...task, result: {} }, 'tasks'),
    ],
    [
      'a task of another type',
      check('tasks/get', { resultType: 'complete', ...task }, 'tasks'),
      check('tasks/get', { resultType: 'task', ...task }, 'tasks'),
    ],
    [
      'an acknowledgement with members',
      check('tasks/update', { resultType: 'complete' }, 'tasks'),
      check('tasks/update', { resultType: 'complete', ...task }, 'tasks'),
    ],
    ['a notification with an extra member', tell(task), tell({ ...task, resultType: 'complete' })],
    [
      'a skill without a manifest',
      check('skills/list', { ...page, skills: [skill] }, 'skills'),
      check('skills/list', { ...page, skills: [{ ...skill, resources: undefined }] }, 'skills'),
    ],
    [
      'a digest in capitals',
      check('skills/get', { ...page, skill }, 'skills'),
      check(
        'skills/get',
        { ...page, skill: { ...skill, resources: [{ ...file, digest: 'SHA256:00' }] } },
        'skills',
      ),
    ],
    [
      'a cacheable list without a duration',
      check('skills/list', { ...page, skills: [] }, 'skills'),
      check('skills/list', { resultType: 'complete', skills: [] }, 'skills'),
    ],
    [
      'a folder with an unknown member',
      check('resources/directory/read', { resultType: 'complete', resources: [] }, 'skills'),
      check('resources/directory/read', { ...page, resources: [] }, 'skills'),
    ],
  ])('reject %s', (_what, right, wrong) => {
    expect(right).toEqual([])
    expect(wrong).not.toEqual([])
  })

  it("are not part of the revision's own schema", () => {
    expect(
      validateWire(
        REVISION,
        { jsonrpc: '2.0', method: 'notifications/tasks', params: task },
        { direction: 'server' },
      ),
    ).not.toEqual([])
  })
})
