import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { runs } from '@jetway-apps/test-support/processes'
import { expect, it, onTestFinished, vi } from 'vitest'
import { freePort } from '../../src/server-file/free-port.ts'
import { CLIENTS, type DevClient } from './support/clients.ts'
import { createProject, definition, devOverHttp, type Project } from './support/project.ts'

async function connect(url: string): Promise<DevClient> {
  const client = await (CLIENTS['official v1'] as (typeof CLIENTS)[string])({ url })
  onTestFinished(() => client.close())
  return client
}

/** Code that changes the lists, so that the test notices when the code is served. */
const changed = (...more: readonly string[]): string => definition(['changed'], more.join('\n'))

async function saveAndSee(project: Project, client: DevClient, code: string): Promise<void> {
  const seen = client.changed()
  await project.save(code)
  await seen
}

it('jetway dev prints a syntax error, and keeps serving the previous code', async () => {
  const project = await createProject(definition())
  const dev = await devOverHttp(project)
  const client = await connect(dev.url)
  await project.save('const server = {\nexport default server')
  await dev.until(/server\.ts:2:\d+[^]*goes on serving/)
  expect(await client.echo('still here')).toBe('still here')
  await saveAndSee(project, client, changed())
  expect(await client.tools()).toContain('changed')
})

it('jetway dev reports a crash on startup, and keeps serving the previous code', async () => {
  const project = await createProject(definition())
  const dev = await devOverHttp(project)
  const client = await connect(dev.url)
  await project.save(changed("throw new Error('no database')"))
  await dev.until(/no database[^]*goes on serving/)
  expect(await client.echo('still here')).toBe('still here')
  await saveAndSee(project, client, changed())
})

it('jetway dev holds requests while it retries the first start after a crash', async () => {
  const project = await createProject(
    `import { existsSync, writeFileSync } from 'node:fs'
if (!existsSync('MARK')) { writeFileSync('MARK', ''); throw new Error('not yet') }
${definition()}`.replaceAll('MARK', `${(await createProject('')).folder}/mark`),
  )
  const dev = await devOverHttp(project)
  // On a busy machine, this may take longer than the 10 s for which requests are held.
  const client = await vi.waitFor(() => connect(dev.url))
  expect(dev.output.stderr).toMatch(/not yet[^]*starts again in 0\.2 s/)
  expect(await client.echo('here')).toBe('here')
})

it('jetway dev responds to running calls after a crash, and keeps the session', async () => {
  const project = await createProject(
    definition([], "server.addTool({ name: 'crash', handler: () => { process.exit(3) } })"),
  )
  const dev = await devOverHttp(project)
  const client = await connect(dev.url)
  const session = client.sessionId()
  expect(await client.call('crash')).toMatchObject({
    isError: true,
    content: [{ type: 'text', text: 'The server was restarted while this ran; call again' }],
  })
  // Until this line is printed, a call may still reach the process that is exiting.
  await dev.until(/exited with code 3/)
  expect(await client.echo('again')).toBe('again')
  expect(client.sessionId()).toBe(session)
})

it('jetway dev replaces a hanging process, responds to its calls, and kills its process group', async () => {
  const hang = `
import { spawn } from 'node:child_process'
process.on('SIGTERM', () => {})
const child = spawn('sleep', ['1000'])
console.log('pids', process.pid, child.pid)
server.addTool({ name: 'hang', handler: () => { for (;;); } })`
  const project = await createProject(definition([], hang))
  const dev = await devOverHttp(project)
  const client = await connect(dev.url)
  const [, ...pids] = await dev.until(/pids (\d+) (\d+)/)
  const hanging = client.call('hang')
  await saveAndSee(project, client, changed())
  expect(await client.echo('here')).toBe('here')
  expect(await hanging).toMatchObject({ isError: true })
  await vi.waitFor(() => expect(pids.filter((pid) => runs(Number(pid)))).toEqual([]))
})

it('jetway dev lets running calls finish in the old process', async () => {
  const slow = `
server.addTool({ name: 'slow', handler: async () => {
  console.log('slow begins')
  await new Promise((resolve) => setTimeout(resolve, 1000))
  return 'done by the old code'
} })`
  const project = await createProject(definition([], slow))
  const dev = await devOverHttp(project)
  const client = await connect(dev.url)
  const call = client.call('slow')
  await dev.until(/slow begins/)
  const seen = client.changed()
  await project.save(changed())
  expect(await call).toMatchObject({ content: [{ text: 'done by the old code' }] })
  await seen
})

/** Returns the code of a program that listens on its own port, and ignores PORT. */
const program = (port: number, tool: string): string => `
import { createServer } from 'node:http'
import { mcp } from '@jetway/node'
${definition([tool]).replace('export default server', '')}
createServer(mcp({ server })).listen(${port}, '127.0.0.1')
`

it('jetway dev stops a program that ignores PORT before starting its replacement', async () => {
  const port = await freePort()
  const project = await createProject(program(port, 'first'))
  const dev = await devOverHttp(project)
  const client = await connect(dev.url)
  const session = client.sessionId()
  await saveAndSee(project, client, program(port, 'second'))
  expect(await client.tools()).toEqual(['echo', 'second'])
  expect(dev.output.stderr).toMatch(/Port \d+ is in use: from now on the old process ends/)
  await saveAndSee(project, client, program(port, 'third'))
  expect(client.sessionId()).toBe(session)
})

it('jetway dev fails if its own port is in use', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void taken.close())
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const dev = (await createProject(definition())).dev('--port', String(port))
  expect(await dev.exited).toBe(1)
  expect(dev.output.stderr).toContain(`Port ${port} is in use`)
})

it.each([
  ['Host', { host: 'attacker.example' }],
  ['Origin', { origin: 'https://attacker.example' }],
])('jetway dev refuses a foreign %s header', async (_, headers) => {
  const dev = await devOverHttp(await createProject(definition()))
  const { hostname, port } = new URL(dev.url)
  const { request } = await import('node:http')
  const asked = request({ hostname, port, path: '/mcp', method: 'POST', headers }).end()
  const [reply] = (await once(asked, 'response')) as [{ statusCode: number; resume(): void }]
  reply.resume()
  expect(reply.statusCode).toBe(403)
})
