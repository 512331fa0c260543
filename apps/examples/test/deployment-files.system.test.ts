import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { callTool, requestMeta } from '@jetway-apps/test-support'
import { startNode } from '@jetway-apps/test-support/processes'
import { program } from '@jetway-tools/runtimes/program'
import { build } from 'esbuild'
import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { parse as parseYaml } from 'yaml'
import { POST } from '../src/project/vercel.ts'
import worker from '../src/project/worker.ts'
import { call, openSession } from './support.ts'

const root = new URL('../', import.meta.url)
const deploy = (name: string): string => readFileSync(new URL(`deploy/${name}`, root), 'utf8')
const guide = (name: string): string => readFileSync(new URL(`../../docs/guide/${name}.md`, root), 'utf8')

interface Cloud {
  readonly port: number | undefined
  readonly probe: string
  readonly publicUrl: string
}

/** The settings in each platform's file that must match the program. */
const CLOUDS: Readonly<Record<string, () => Cloud>> = {
  'fly.toml': () => {
    const { env, http_service: service } = parseToml(deploy('fly.toml')) as unknown as {
      readonly env: { readonly PUBLIC_URL: string }
      readonly http_service: { readonly internal_port: number; readonly checks: [{ readonly path: string }] }
    }
    return { port: service.internal_port, probe: service.checks[0].path, publicUrl: env.PUBLIC_URL }
  },
  'render.yaml': () => {
    const [service] = (parseYaml(deploy('render.yaml')) as { readonly services: [Render] }).services
    const env = new Map(service.envVars.map(({ key, value }) => [key, value]))
    expect(env.get('HOST')).toBe('0.0.0.0')
    return { port: undefined, probe: service.healthCheckPath, publicUrl: env.get('PUBLIC_URL') ?? '' }
  },
  'cloud-run.yaml': () => {
    const service = parseYaml(deploy('cloud-run.yaml')) as CloudRun
    const [container] = service.spec.template.spec.containers
    expect(container.startupProbe.httpGet.port).toBe(container.ports[0].containerPort)
    return {
      port: container.ports[0].containerPort,
      probe: container.startupProbe.httpGet.path,
      publicUrl: container.env[0].value,
    }
  },
}

interface Render {
  readonly buildCommand: string
  readonly startCommand: string
  readonly healthCheckPath: string
  readonly envVars: readonly { readonly key: string; readonly value: string }[]
}

interface CloudRun {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: [
          {
            readonly ports: [{ readonly containerPort: number }]
            readonly env: [{ readonly value: string }]
            readonly startupProbe: { readonly httpGet: { readonly path: string; readonly port: number } }
          },
        ]
      }
    }
  }
}

/** The Dockerfile's instructions, each as its name and its arguments. */
const instructions = deploy('Dockerfile')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line))
  .map((line) => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)] as const)

const all = (name: string): string[] =>
  instructions.filter(([instruction]) => instruction === name).map(([, rest]) => rest)

/** The scripts that the guide adds to package.json. */
const scripts = Object.fromEntries(
  [...guide('project-layout').matchAll(/^npm pkg set scripts\.(\w+)="(.+)"$/gm)].map(([, name, text]) => [
    name,
    text,
  ]),
)

/** Starts `src/project/main.ts` in the same way as a platform. */
async function start(env: Record<string, string>) {
  const child = startNode(program(new URL('src/project/main.ts', root)), { ...env, PORT: '0' })
  const [, port] = await child.until(/127\.0\.0\.1:(\d+)/)
  return { child, origin: `http://127.0.0.1:${port}` }
}

describe.each(Object.keys(CLOUDS))('%s', (name) => {
  const cloud = (): Cloud => CLOUDS[name]?.() as Cloud

  it('uses the same port as the image', () => {
    const [exposed] = all('EXPOSE')
    expect(all('ENV').join(' ')).toContain(`PORT=${exposed}`)
    expect([undefined, Number(exposed)]).toContain(cloud().port)
  })

  it('specifies a probe and a public URL that the program serves', async () => {
    const { probe, publicUrl } = cloud()
    const { child, origin } = await start({ PUBLIC_URL: publicUrl })
    const host = { host: new URL(publicUrl).host }
    expect((await fetch(origin + probe)).status).toBe(200)
    const url = origin + new URL(publicUrl).pathname
    const headers = await openSession(url, { ...host, 'x-team': 'blue' })
    expect(await call(url, 'add_note', headers, { text: 'tea' })).toMatch(/^\d+ notes$/)
    await child.stop()
  })
})

describe('the Dockerfile', () => {
  it('builds and starts the project with the commands in the guide', () => {
    expect(scripts).toEqual({ build: 'tsc', start: 'node dist/main.js' })
    expect(all('RUN')).toEqual(['npm ci', 'npm run build', 'npm prune --omit=dev'])
    expect(all('CMD')).toEqual([JSON.stringify(scripts['start']?.split(' ')).replace(',', ', ')])
  })

  it('copies only the files that .dockerignore allows', () => {
    const copied = all('COPY').filter((rest) => !rest.startsWith('--from'))
    const sources = copied.flatMap((rest) => rest.split(' ').slice(0, -1))
    const [first, ...let_in] = deploy('.dockerignore').trim().split('\n')
    expect(first).toBe('*')
    expect(let_in.map((line) => line.slice(1)).toSorted()).toEqual(sources.toSorted())
  })
})

it('render.yaml builds and starts the project with the commands in the guide', () => {
  const [service] = (parseYaml(deploy('render.yaml')) as { readonly services: [Render] }).services
  expect(service.buildCommand).toBe('npm ci --include=dev && npm run build')
  expect(service.startCommand).toBe(scripts['start'])
})

it('the project exits on SIGTERM and SIGINT', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const { child } = await start({})
    await expect(child.stop(signal)).resolves.toBeDefined()
  }
})

const addNote = (host: string): Request =>
  new Request(`https://${host}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'add_note',
    },
    body: JSON.stringify(callTool('add_note', { text: 'tea' }, { meta: requestMeta() })),
  })

describe('vercel.json', () => {
  const file = JSON.parse(deploy('vercel.json')) as {
    readonly buildCommand: string
    readonly functions: Readonly<Record<string, object>>
    readonly rewrites: [{ readonly source: string; readonly destination: string }]
  }

  it('routes /mcp to a function that exports the build output', () => {
    const [{ source, destination }] = file.rewrites
    expect(source).toBe('/mcp')
    expect(Object.keys(file.functions)).toEqual([`${destination.slice(1)}.js`])
    expect(file.buildCommand).toBe('npm run build')
    expect(deploy('api/mcp.js')).toContain(`from '../dist/vercel.js'`)
  })

  it('names a handler that responds to calls', async () => {
    expect((await POST(addNote('localhost:3000'))).status).toBe(200)
  })
})

describe('wrangler.json', () => {
  const file = JSON.parse(deploy('wrangler.json')) as {
    readonly main: string
    readonly vars: { readonly DEFAULT_TEAM: string }
  }
  const entry = fileURLToPath(new URL(file.main.replace('src/', 'src/project/'), root))

  it('points to a module that can be bundled without Node.js modules', async () => {
    const { outputFiles, metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      write: false,
      metafile: true,
      format: 'esm',
      conditions: ['jetway:source', 'workerd', 'worker', 'browser'],
      logLevel: 'error',
    })
    expect(outputFiles).toHaveLength(1)
    expect(Object.values(metafile.outputs).flatMap(({ imports }) => imports)).toEqual([])
  })

  it('defines the variables that the module reads', async () => {
    const response = await worker.fetch(addNote('notes.example.workers.dev'), file.vars)
    expect(response.status).toBe(200)
    expect(await response.text()).toMatch(/\d+ notes/)
  })
})
