/**
 * Creates a project from each template with `npm create jetway`, and uses it as its author would. Requires a
 * build, the registry, and Chromium.
 */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { inspector, node as inspectorNode } from '@jetway-tools/newer-node'
import { runtime } from '@jetway-tools/runtimes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TEMPLATE_NAMES, type TemplateName } from '../src/template-names.ts'
import { root, serveRegistry } from './support/registry.ts'
import { environment, serving, shell } from './support/shell.ts'
import { showView } from './support/view.ts'

const LIMIT_MS = 900_000

let folder = ''
let registry: Awaited<ReturnType<typeof serveRegistry>>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'jetway-created-'))
  registry = await serveRegistry()
}, 300_000)

afterAll(async () => {
  await registry?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The oldest and the newest version of Node.js that are available to the tests. */
const NODES = [runtime('node-20'), runtime('node-26')]

interface Project {
  readonly path: string
  readonly name: string
  /** A call that shows that the server works: a tool, its argument, and the text that it returns. */
  readonly call: readonly [tool: string, argument: string, text: RegExp]
  /** Runs a command in the project, with the commands of the project's packages on the PATH. */
  readonly run: (command: string) => Promise<string>
}

const PUBLINT = join(root, 'node_modules/.bin/publint')

const INSPECT = `"${inspectorNode}" "${inspector}" --cli`

/** Returns the text of every file in a project that git would add, keyed by path. */
function sources(path: string): Readonly<Record<string, string>> {
  const files = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => !/^(?:\.git|node_modules|dist)(?:\/|$)|package-lock/.test(file))
    .filter((file) => statSync(join(path, file)).isFile())
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(path, file), 'utf8')]))
}

async function create(template: TemplateName): Promise<Project> {
  const parent = join(folder, template)
  const env = environment(registry.url)
  const command = `npm create jetway@latest my-server -- --template ${template} --yes`
  for (const place of ['first', 'second']) mkdirSync(join(parent, place), { recursive: true })
  const path = join(parent, 'first/my-server')
  await shell(command, join(parent, 'first'), env)
  await shell(`${command} --no-install`, join(parent, 'second'), env)
  expect(sources(path), 'the same command creates the same files').toEqual(
    sources(join(parent, 'second/my-server')),
  )
  return {
    path,
    name: 'my-server',
    call:
      template === 'app' ? ['roll_dice', 'count=2', /\d \+ \d = \d+/] : ['greet', 'name=Ada', /Hello, Ada/],
    run: (each) =>
      shell(each, path, { ...env, PATH: `${join(path, 'node_modules/.bin')}${delimiter}${env['PATH']}` }),
  }
}

/**
 * Checks the tarball that the author would publish, and installs it in another folder. Returns the path of
 * its command.
 */
async function installTarball({ run, path, name }: Project): Promise<string> {
  await run('npm pack --pack-destination ..')
  await run(`"${PUBLINT}" ../${name}-0.1.0.tgz --strict --pack false`)
  const elsewhere = join(path, '../elsewhere')
  mkdirSync(elsewhere)
  await run(`cd ../elsewhere && npm init -y && npm install ../${name}-0.1.0.tgz`)
  return join(elsewhere, 'node_modules/.bin', name)
}

/** Lists and calls a server's features, with the Jetway command and with the Inspector. */
async function listAndCall(
  { run, call: [tool, argument, text] }: Project,
  target: string,
  inspected = `--server-url ${target} --transport http`,
): Promise<void> {
  expect(await run(`npx jetway list ${target}`)).toMatch(new RegExp(`^my-server 0\\.1\\.0 [^]*${tool}\\(`))
  expect(await run(`jetway call ${target} ${tool} ${argument}`)).toMatch(text)
  const method = `--method tools/call --tool-name ${tool} --tool-arg ${argument} --format json`
  expect(await run(`${INSPECT} ${inspected} ${method}`)).toMatch(text)
}

interface Report {
  readonly sections: readonly {
    readonly findings: readonly { readonly check: string; readonly verdict: string }[]
  }[]
}

/** Checks the MCP registry's document for a server, and what `jetway doctor` reports for Claude's directory. */
async function provePublishing({ run, path }: Project, template: TemplateName): Promise<void> {
  const file = join(path, 'jetway.json')
  const facts = readFileSync(file, 'utf8')
  const remotes = [{ url: 'https://mcp.my-server.dev/mcp' }]
  // README.md asks the author of a server over HTTP to add its public URL.
  if (template !== 'stdio') writeFileSync(file, JSON.stringify({ ...JSON.parse(facts), remotes }))
  const document = JSON.parse(await run('jetway server-json')) as object
  expect(document).toMatchObject({ name: 'io.github.your-name/my-server', version: '0.1.0' })
  writeFileSync(file, facts)
  const source = template === 'stdio' ? 'src/main.ts' : 'src/server.ts'
  const report = await run(`jetway doctor ${source} --directory claude --json || true`)
  const { sections } = JSON.parse(report) as Report
  const faults = sections.flatMap(({ findings }) => findings.filter(({ verdict }) => verdict === 'fault'))
  // README.md asks the author to add these.
  expect(faults.map(({ check }) => check)).toEqual(['privacy-policy', 'support', 'documentation'])
}

async function proveStdio(project: Project): Promise<void> {
  const { run } = project
  const bin = await installTarball(project)
  const [tool, argument] = project.call
  for (const node of NODES) {
    const started = `env -i "${node}" "${bin}"`
    expect(await run(`jetway call ${tool} ${argument} -- ${started}`)).toBe('Hello, Ada\n')
  }
  await listAndCall(project, 'dist/main.js', 'node dist/main.js')
  await run('jetway doctor dist/main.js')
  await run('jetway bundle --out my-server.mcpb')
}

async function proveHttp(project: Project, settings: NodeJS.ProcessEnv = {}): Promise<void> {
  const { run, path } = project
  const bin = await installTarball(project)
  for (const node of NODES)
    await serving(
      `"${node}" "${bin}"`,
      path,
      { ...environment(registry.url), ...settings },
      async ({ origin, end }) => {
        await refusesForeignHost(origin)
        expect(await run(`jetway call ${origin}/mcp ${project.call[0]} ${project.call[1]}`)).toMatch(
          project.call[2],
        )
        expect(await end(), 'SIGTERM ends the server with 0').toBe(0)
      },
    )
  await serving(
    'node dist/main.js',
    path,
    { ...environment(registry.url), ...settings },
    async ({ origin }) => {
      await listAndCall(project, `${origin}/mcp`)
      await run(`jetway doctor ${origin}/mcp`)
    },
  )
}

const HEADERS =
  "--header 'Accept: application/json, text/event-stream' --header 'Content-Type: application/json'"

/** Uses curl, because fetch sets the Host header itself. */
async function refusesForeignHost(origin: string): Promise<void> {
  const ping = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
  const send = `curl -sS -o /dev/null -w '%{http_code}' ${HEADERS} -H 'Host: evil.example' -d '${ping}' ${origin}/mcp`
  expect(await shell(send, folder, process.env)).toBe('403')
}

async function proveWorkers(project: Project): Promise<void> {
  const { path } = project
  const command = 'node_modules/.bin/wrangler dev --port "$PORT"'
  await serving(command, path, environment(registry.url), async ({ origin }) => {
    await listAndCall(project, `${origin}/mcp`)
    await project.run(`jetway doctor ${origin}/mcp`)
  })
}

/** Serves the API that the template's tools call, and proves the project with it. */
async function proveOpenApi(project: Project): Promise<void> {
  const api = createServer(({ url = '', headers }, response) => {
    const isGranted = headers.authorization === 'Bearer secret'
    const text = `Hello, ${decodeURIComponent(url.slice(url.lastIndexOf('/') + 1))}`
    response
      .writeHead(isGranted ? 200 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify({ text }))
  })
  await once(api.listen(0, '127.0.0.1'), 'listening')
  const { port } = api.address() as AddressInfo
  try {
    await proveHttp(project, { API_URL: `http://127.0.0.1:${port}/v1`, API_TOKEN: 'secret' })
    expect(await project.run('npm run operations')).toContain('1 of 2 operations are chosen')
  } finally {
    api.close()
  }
}

async function proveApp(project: Project): Promise<void> {
  await proveHttp(project)
  const read = await project.run('jetway call dist/main.js ui://my-server/dice --json')
  const { contents } = JSON.parse(read) as { readonly contents: readonly { readonly text: string }[] }
  expect(contents).toMatchObject([{ mimeType: 'text/html;profile=mcp-app' }])
  const shown = await showView(contents[0]?.text ?? '')
  expect(shown).toMatchObject({ first: '3 4 = 7', again: '6 6 = 12', errors: [] })
  expect(shown.sent).toEqual(
    expect.arrayContaining([
      'ui/initialize',
      'ui/notifications/initialized',
      'tools/call {"name":"roll_dice","arguments":{"count":2}}',
    ]),
  )
}

const PROOFS: Readonly<Record<TemplateName, (project: Project) => Promise<void>>> = {
  stdio: proveStdio,
  fastify: proveHttp,
  hono: proveHttp,
  express: proveHttp,
  node: proveHttp,
  workers: proveWorkers,
  app: proveApp,
  openapi: proveOpenApi,
}

it.concurrent.each(TEMPLATE_NAMES)(
  'npm create jetway creates a project that compiles, passes its tests and starts: %s',
  { timeout: LIMIT_MS },
  async (template) => {
    const project = await create(template)
    await project.run('npm run typecheck && npm test && npm run build')
    await PROOFS[template](project)
    await provePublishing(project, template)
  },
)
