/**
 * Follows the instructions on the pages for new users literally, in an empty folder. Needs a build and the
 * registry.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runtime } from '@jetway-tools/runtimes'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { section, type Step, stepsOf } from './support/page-steps.ts'
import { packAll, published, type Ran, remove, runSteps } from './support/terminal.ts'

const LIMIT_MS = 300_000

const page = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')

let folder = ''

beforeAll(async () => {
  folder = await packAll()
}, LIMIT_MS)

afterAll(() => remove(folder))

/** Returns the output of the only command that contains this text. */
function outputOf(ran: readonly Ran[], text: string): string {
  const found = ran.filter(({ command }) => command.includes(text))
  expect(found.map(({ command }) => command)).toHaveLength(1)
  return found[0]?.output ?? ''
}

it(
  "the README's steps produce working calls over stdio, Fastify and Hono, and a server in Claude Desktop",
  { timeout: LIMIT_MS },
  async () => {
    const readme = page('README.md')
    const sections = ['Install', 'Quickstart', 'Try it', 'Add it to Claude Desktop']
    const ran = await runSteps(stepsOf(sections.map((name) => section(readme, name)).join('')), folder)
    expect(outputOf(ran, 'jetway call hello-stdio.ts hello')).toBe('Hello, world\n')
    const tried = outputOf(ran, 'jetway list quickstart.ts')
    expect(tried).toContain('roll_dice(count?: integer)')
    expect(tried).toMatch(/\{"rolls":\[\d,\d,\d\],"total":\d+\}/)
    expect(outputOf(ran, 'jetway install')).toMatch(/^Added my-server in .*claude_desktop_config\.json\n$/)
    expect(outputOf(ran, 'Mcp-Name: roll_dice')).toMatch(
      /"structuredContent":\{"rolls":\[\d,\d,\d\],"total":\d+\}/,
    )
  },
)

it(
  "the site's steps produce a working call, a build and successful curl requests",
  { timeout: LIMIT_MS },
  async () => {
    const pages = ['install', 'quickstart', 'curl'].map((name) => page(`docs/guide/${name}.md`))
    const build: Step = { kind: 'run', command: 'npx tsc && ls dist' }
    const ran = await runSteps([...pages.flatMap(stepsOf), build], folder)
    const greetings = ran.filter(({ command }) => command.endsWith(' hello'))
    expect(greetings).toHaveLength(3)
    for (const { output } of greetings) expect(output).toContain('Hello, world')
    expect(outputOf(ran, 'jetway call http://127.0.0.1:3000/mcp roll_dice')).toContain('"total"')
    const total = /"structuredContent":\{"rolls":\[\d,\d,\d\],"total":\d+\}/
    expect(outputOf(ran, 'Mcp-Name: roll_dice')).toMatch(total)
    expect(outputOf(ran, '"initialize"')).toContain('"protocolVersion":"2025-11-25"')
    expect(outputOf(ran, 'notifications/initialized')).toBe('')
    expect(outputOf(ran, '"id": 2')).toMatch(total)
    expect(outputOf(ran, 'DELETE')).toBe('')
    expect(outputOf(ran, 'npx tsc')).toContain('quickstart.js')
  },
)

/** The commands to install from npm, and the equivalent ones to install from tarballs. */
const INSTALL = 'npm install @jetway/core zod\nnpm install --save-dev @jetway/testing vitest'
const TARBALLS = [
  'npm install ../jetway/tarballs/jetway-{core,json-schema,stdio}-0.0.0.tgz',
  'npm install --save-dev ../jetway/tarballs/jetway-{client,testing}-0.0.0.tgz',
].join(' && ')

/** The commands in the installation guide, and the ones that the test runs with a version of Vitest. */
const LINES = published
  ? {
      onPage: 'npm install @jetway/core && npm install --save-dev @jetway/testing vitest',
      // The guide's adapter also needs @jetway/node.
      run: INSTALL.replace('zod', '@jetway/node zod'),
    }
  : {
      onPage: `${TARBALLS} vitest`,
      run: `npm install zod\n${TARBALLS.replace('json-schema,', 'json-schema,node,')} vitest`,
    }

/** Returns a page's TypeScript blocks, joined into one file for each source. */
function filesOf(markdown: string): Step[] {
  const texts = new Map<string, string>()
  for (const [, file = '', code = ''] of markdown.matchAll(
    /<!-- from: (?:\S+\/)?([^/#\s]+)\S* -->\n.*\n\n```ts\n([\s\S]*?)```/g,
  ))
    texts.set(file, `${texts.get(file) ?? ''}${code}\n`)
  return [...texts].map(([file, text]) => ({ kind: 'save', file, text }))
}

it.each([
  ['4.1', process.execPath],
  ['5', runtime('node-24')],
])(
  'the test in the README of @jetway/testing and the adapter contract run with Vitest %s',
  { timeout: LIMIT_MS },
  async (version, node) => {
    expect(page('docs/guide/install.md')).toContain(`\`${LINES.onPage}\``)
    const command = `${LINES.run}@${version}`
    const readme = stepsOf(page('packages/testing/README.md'))
    expect(readme).toContainEqual({ kind: 'run', command: INSTALL })
    const steps: readonly Step[] = [
      ...stepsOf(section(page('docs/guide/install.md'), 'Make a project')),
      ...filesOf(page('docs/guide/write-an-adapter.md')),
      ...readme.map((step) =>
        step.kind === 'run' && step.command === INSTALL ? { ...step, command } : step,
      ),
    ]
    const report = outputOf(await runSteps(steps, folder, node), 'npx vitest run')
    expect(report).toContain(`v${version}`)
    expect(report).toMatch(/Tests .*\d\d passed/)
    expect(report).not.toContain('failed')
  },
)
