/**
 * Creates the guide's project, and runs the instructions in its Dockerfile without Docker. Needs a build and
 * the registry.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { startNode } from '@jetway-apps/test-support/processes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, openSession } from './support.ts'
import { section, type Step, stepsOf } from './support/page-steps.ts'
import { packAll, remove, runSteps } from './support/terminal.ts'

const root = fileURLToPath(new URL('../', import.meta.url))
const page = (name: string): string => readFileSync(`${root}../../docs/guide/${name}.md`, 'utf8')

/** The configuration on the page, changed as described in the guide to the project layout. */
const tsconfig = (/```json\n([\s\S]*?)```/.exec(section(page('install'), 'Check types and build'))?.[1] ?? '')
  .replace('"rootDir": "."', '"rootDir": "src"')
  .replace('"include": ["*.ts"]', '"include": ["src"]')

const instructions = readFileSync(`${root}deploy/Dockerfile`, 'utf8')
  .split('\n')
  .filter((line) => /^[A-Z]/.test(line))

/** Returns one Dockerfile instruction as a shell command. Each stage has a folder: `../build` and `../image`. */
function commandOf(line: string, stage: string): string {
  const [instruction, ...words] = line.split(' ')
  if (instruction === 'RUN') return `(cd ../${stage} && ${words.join(' ')})`
  if (instruction !== 'COPY') return ''
  const [from, ...rest] = words[0]?.startsWith('--from') ? ['../build/', ...words.slice(1)] : ['', ...words]
  const target = rest.pop() ?? ''
  const sources = rest.map((path) => from + path.replace('/app/', ''))
  return `cp -r ${sources.join(' ')} ../${stage}/${target}`
}

let folder = ''
beforeAll(async () => {
  folder = await packAll()
}, 300_000)
afterAll(() => remove(folder))

it(
  'the project in the guides builds, and both its image and its function start',
  { timeout: 300_000 },
  async () => {
    const start = instructions.findLastIndex((line) => line.startsWith('FROM'))
    const build = instructions.slice(0, start).map((line) => commandOf(line, 'build'))
    const image = instructions.slice(start).map((line) => commandOf(line, 'image'))
    const steps: Step[] = [
      ...stepsOf(section(page('project-layout'), 'Make the project')),
      { kind: 'save', file: 'tsconfig.json', text: tsconfig },
      { kind: 'run', command: `cp -r '${root}src/project/.' src && cp -r '${root}deploy/.' .` },
      { kind: 'run', command: ['mkdir ../build ../image', ...build, ...image].filter(Boolean).join('\n') },
      { kind: 'run', command: 'npm run build >/dev/null' },
      {
        kind: 'run',
        command: `PUBLIC_URL=http://localhost/mcp node -e "import('./api/mcp.js').then(async ({ GET }) => console.log((await GET(new Request('http://localhost/mcp'))).status))"`,
      },
      { kind: 'run', command: 'cd ../image && pwd' },
    ]
    const ran = await runSteps(steps, folder)
    // Without sessions, there is no stream to open.
    expect(ran.at(-2)?.output.trim()).toBe('405')

    const env = Object.fromEntries(
      instructions
        .filter((line) => line.startsWith('ENV'))
        .flatMap((line) => line.slice('ENV '.length).split(' '))
        .map((pair) => pair.split('=')),
    ) as Record<string, string>
    const [, program = ''] = JSON.parse(
      instructions.find((line) => line.startsWith('CMD'))?.slice('CMD '.length) ?? '[]',
    ) as string[]
    const child = startNode([`${ran.at(-1)?.output.trim()}/${program}`], { ...env, PORT: '0' })
    const [, port] = await child.until(/127\.0\.0\.1:(\d+)/)
    const origin = `http://127.0.0.1:${port}`
    expect((await fetch(`${origin}/readyz`)).status).toBe(200)
    const headers = await openSession(`${origin}/mcp`, { 'x-team': 'blue' })
    expect(await call(`${origin}/mcp`, 'add_note', headers, { text: 'tea' })).toBe('1 notes')
    expect(await child.stop('SIGTERM')).toBe(0)
  },
)
