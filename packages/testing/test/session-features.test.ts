import { silent } from '@jetway-apps/test-support'
import { McpServer } from '@jetway/core'
import { expect, it } from 'vitest'
import { describeMatrix, SESSION_REVISIONS } from '../src/matrix.ts'
import { HOST_TRANSPORTS } from './support/host-transports.ts'

/** Returns a promise, and the function that resolves it. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { open, opened }
}

describeMatrix('a session', { transports: HOST_TRANSPORTS, revisions: SESSION_REVISIONS }, ({ connect }) => {
  it("has the server's experimental capabilities", async () => {
    const experimental = { 'com.example/tracing': { level: 2, kinds: ['a'] }, 'com.example/other': {} }
    const server = new McpServer({ name: 'test', version: '1' }, { experimental, logger: silent })
    experimental['com.example/tracing'].level = 3
    const { initialized } = await connect(server)
    expect(initialized['capabilities']).toEqual({
      experimental: { 'com.example/tracing': { level: 2, kinds: ['a'] }, 'com.example/other': {} },
      logging: {},
    })
  })

  it('logs at the requested level, even if the level changes during a call', async () => {
    const server = new McpServer({ name: 'test', version: '1' }, { logger: silent })
    const [started, chosen] = [gate(), gate()]
    server.addTool({
      name: 'talk',
      async handler(_args, { log }) {
        log.debug('before')
        started.open()
        await chosen.opened
        log.debug('after')
      },
    })
    const connection = await connect(server)
    const other = await connect(server)
    const answer = connection.request('tools/call', { name: 'talk' })
    await started.opened
    await other.request('logging/setLevel', { level: 'emergency' })
    expect(await connection.request('logging/setLevel', { level: 'debug' })).toMatchObject({ result: {} })
    chosen.open()
    await answer
    const said = connection.notifications.filter(({ method }) => method === 'notifications/message')
    expect(said.map(({ params }) => params?.['data'])).toEqual(['after'])
    expect(await connection.request('logging/setLevel', { level: 'loud' })).toMatchObject({
      error: { code: -32602 },
    })
  })

  it('requests roots during a call, and is notified when the roots change', async () => {
    const server = new McpServer({ name: 'test', version: '1' }, { logger: silent })
    const changed: string[] = []
    const told = gate()
    server.on('roots:change', ({ sessionId, principal }) => {
      changed.push(`${typeof sessionId} ${principal}`)
      told.open()
    })
    server.addTool({ name: 'roots', handler: async (_args, ctx) => ctx.listRoots() })
    let roots = [{ uri: 'file:///a', name: 'a' }]
    const connection = await connect(server, {
      capabilities: { roots: { listChanged: true } },
      onRequest: (method) => (method === 'roots/list' ? { roots } : undefined),
    })
    const without = await connect(server)
    const ask = async (): Promise<unknown> =>
      (await connection.request('tools/call', { name: 'roots' })).result
    expect(await ask()).toMatchObject({ content: [{ text: '[{"uri":"file:///a","name":"a"}]' }] })
    roots = []
    await without.notify('notifications/roots/list_changed')
    await without.request('ping')
    await connection.notify('notifications/roots/list_changed')
    await told.opened
    expect(changed).toEqual(['string '])
    expect(await ask()).toMatchObject({ content: [{ text: '[]' }] })
    expect(await without.request('tools/call', { name: 'roots' })).toMatchObject({
      error: { code: -32600, data: { requiredCapabilities: { roots: {} } } },
    })
  })
})
