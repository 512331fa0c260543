import process from 'node:process'
import { createInterface } from 'node:readline/promises'
import { Client, type ElicitRequest, type ElicitResult } from '@jetway/client'
import { http } from '@jetway/client/http'

export const HELP = `  who        says which process runs the call
  count 20   counts for 20 s, with progress
  greet      asks for your name: your answer may reach another process than the question
  kill PID   kills a process. Do it while count runs: that call ends with an error, and the session continues`

/** A prompt for a user's calls. */
export interface Prompt {
  /** Ends the session. Resolves when the session's client has closed. */
  close(): Promise<void>
}

/**
 * Reads lines from stdin, and calls the tools in one session. Lines are read even while a call is running.
 *
 * @param pids - the processes that may be killed
 * @param onInterrupt - called on Ctrl-C, which a terminal passes to the program that reads from it
 */
export async function startPrompt(
  url: string,
  pids: readonly number[],
  onInterrupt: () => void,
): Promise<Prompt> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout, prompt: '> ' })
  const elicit = async ({ message }: ElicitRequest): Promise<ElicitResult> => ({
    action: 'accept',
    content: { name: await terminal.question(`${message} `) },
  })
  // The demo uses a revision with sessions, because in 2026-07-28 no state exists between calls.
  const client = new Client(
    { name: 'cluster', version: '1.0.0' },
    { revisions: ['2025-11-25'], handlers: { elicit } },
  )
  await client.connect(http(url))

  const run = async (line: string): Promise<void> => {
    const [command = '', argument = ''] = line.trim().split(/\s+/)
    const number = Number(argument)
    if (command === 'kill') kill(number, pids)
    else if (command === 'who' || command === 'greet') console.log(await call(client, command))
    else if (command === 'count') console.log(await call(client, command, { to: number || 20 }))
    else if (command !== '') console.log(HELP)
  }
  terminal.on('SIGINT', onInterrupt)
  terminal.on('line', (line) => {
    run(line)
      .catch((error: Error) => console.log(error.message))
      .finally(() => terminal.prompt())
  })
  terminal.prompt()
  return {
    async close() {
      terminal.close()
      await client.close()
    },
  }
}

async function call(client: Client, name: string, args: Record<string, number> = {}): Promise<string> {
  const { content } = await client.callTool(name, args, {
    onProgress: ({ progress, total, message }) => console.log(`${progress} of ${total}: ${message}`),
  })
  return content.map((block) => (block.type === 'text' ? block.text : block.type)).join('\n')
}

function kill(pid: number, pids: readonly number[]): void {
  if (pids.includes(pid)) process.kill(pid, 'SIGKILL')
  else console.log(`kill needs one of ${pids.join(', ')}`)
}
