/** A process that misbehaves as its arguments specify. It echoes lines; a line that starts with `!` is a command. */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

const [mode = 'echo', ...rest] = process.argv.slice(2)
const ignore = (signal) => process.on(signal, () => {})
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)
const child = (args, options) => spawn(process.execPath, [import.meta.filename, ...args], options)

function echo() {
  const lines = createInterface({ input: process.stdin })
  lines.on('line', (line) => {
    if (line === '!env') say(process.env)
    else if (line.startsWith('!exit ')) process.exit(Number(line.slice(6)))
    else if (line === '!three') process.stdout.write('1\n2\n3\n', () => process.exit(0))
    else if (line === '!long') process.stdout.write(`"${'x'.repeat(100_000)}"\n`)
    else if (line === '!close') process.stdout.end()
    else if (line.startsWith('!stderr ')) process.stderr.write(`${line.slice(8)}\n`)
    else process.stdout.write(`${line}\n`)
  })
  lines.on('close', () => mode === 'echo' && process.exit(0))
}

const modes = {
  echo,
  /** Ignores the end of its input, SIGTERM and SIGINT. */
  stubborn() {
    ignore('SIGTERM')
    ignore('SIGINT')
    setInterval(() => {}, 60_000)
    say({ pid: process.pid })
    echo()
  },
  /** Writes the name of the signal that ended it. */
  polite() {
    setInterval(() => {}, 60_000)
    for (const signal of ['SIGTERM', 'SIGINT']) {
      process.on(signal, () => process.stderr.write(`${signal}\n`, () => process.exit(0)))
    }
    say({ pid: process.pid })
    echo()
  },
  /** Runs the server as a child process, as npx does. */
  wrapper() {
    const server = child(rest, { stdio: 'inherit' })
    server.on('exit', (code) => process.exit(code ?? 1))
    ignore('SIGTERM')
  },
  /** Starts a server that leads another process group and lacks the environment variable that marks descendants. */
  unmarked() {
    child(rest, { detached: true, env: {}, stdio: 'inherit' })
    ignore('SIGTERM')
  },
  /** Starts a server that leads another process group, through a process that exits first. */
  detached() {
    const between = child(['between', ...rest], { stdio: ['ignore', 'pipe', 'ignore'] })
    between.stdout.pipe(process.stdout, { end: false })
    echo()
    process.stdin.on('end', () => process.exit(0))
  },
  between() {
    const far = child(rest, { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
    far.stdout.once('data', (chunk) => process.stdout.write(chunk, () => process.exit(0)))
  },
}
modes[mode]()
