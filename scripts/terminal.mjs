/**
 * Draws the output of the two commands that users run in a fresh clone, for the README. Without arguments, it
 * compares the committed pictures with those drawn from the recorded output, and exits with code 1 if they
 * differ. `--write` updates the pictures. `--record` first runs the commands, which takes minutes, and records
 * their output. `--record=start` and `--record=test` record only one of them.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { argv } from 'node:process'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { drawTerminal } from './terminal/draw.mjs'

const root = fileURLToPath(new URL('../', import.meta.url))
const recording = new URL('terminal/clone.txt', import.meta.url)
const pictureOf = (theme) => new URL(`../docs/public/clone-${theme}.svg`, import.meta.url)

export const CALL =
  'node packages/cli/dist/bin.js call http://127.0.0.1:3000/mcp get_forecast city=Denver days=1'

export const transcript = () => readFileSync(recording, 'utf8')

/** @returns {{ theme: string, drawn: string, committed: string }[]} */
export function pictures() {
  return /** @type {const} */ (['light', 'dark']).map((theme) => ({
    theme,
    drawn: drawTerminal(transcript(), theme),
    committed: readFileSync(pictureOf(theme), 'utf8'),
  }))
}

/**
 * Returns the part of the welcome message that is useful to readers. The rest contains paths that exist only
 * on one machine.
 * @param {string} output
 */
export const startOf = (output) => `${output.slice(0, output.indexOf('\n\nCall one')).trim()}\n…`

/** Starts the weather server as a reader would, calls its tool, and stops it. */
async function recordStart() {
  const child = spawn('npm', ['--silent', 'start'], { cwd: root, detached: true, stdio: 'pipe' })
  let output = ''
  await new Promise((resolve, reject) => {
    const add = (chunk) => {
      output += chunk
      if (output.includes('"ready":true')) resolve(undefined)
    }
    child.stdout.on('data', add)
    child.stderr.on('data', add)
    child.on('close', () => reject(new Error(output)))
  })
  const [node, ...args] = CALL.split(' ')
  const called = spawnSync(node ?? '', args, { cwd: root, encoding: 'utf8' })
  process.kill(-(child.pid ?? 0), 'SIGINT')
  return [
    '$ npm start',
    startOf(output),
    '',
    '# in another terminal',
    `$ ${CALL}`,
    called.stdout.trim(),
  ].join('\n')
}

/** Records the steps of `npm test`, and vitest's summary. */
function recordTest() {
  const { status, stdout, stderr } = spawnSync('npm', ['--silent', 'test'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    env: { ...process.env, NO_COLOR: '1' },
  })
  if (status !== 0) throw new Error(`npm test failed:\n${stdout.slice(-4_000)}`)
  const lines = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => /^(?:[✓✗] \w+ \(|\s+(?:Test Files|Tests) )/.test(line))
  return ['$ npm test', ...lines].join('\n')
}

if (import.meta.url === pathToFileURL(argv[1] ?? '').href) {
  const record = argv.find((arg) => arg.startsWith('--record'))
  if (record !== undefined) {
    const [start = '', ...test] = transcript()
      .trimEnd()
      .split(/\n\n(?=\$ npm test\n)/)
    const parts = [
      record === '--record=test' ? start : await recordStart(),
      ...(record === '--record=start' ? test : [recordTest()]),
    ]
    writeFileSync(recording, `${parts.join('\n\n')}\n`)
  }
  for (const theme of /** @type {const} */ (['light', 'dark'])) {
    if (argv.includes('--write')) writeFileSync(pictureOf(theme), drawTerminal(transcript(), theme))
  }
  for (const { theme } of pictures().filter(({ drawn, committed }) => drawn !== committed)) {
    console.log(`docs/public/clone-${theme}.svg is not what was recorded: node scripts/terminal.mjs --write`)
    process.exitCode = 1
  }
}
