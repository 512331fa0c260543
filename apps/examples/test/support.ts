import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import process from 'node:process'
import { program } from '@jetway-tools/runtimes/program'

/** Starts an example in its own process on a free port, and stops it afterwards. */
export async function withProcess(
  example: string,
  env: Record<string, string>,
  use: (origin: string) => Promise<void>,
): Promise<void> {
  const child = spawn(process.execPath, program(new URL(`../src/${example}.ts`, import.meta.url)), {
    env: { ...process.env, ...env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const closed = once(child, 'close')
  try {
    await use(`http://127.0.0.1:${await portOf(child.stdout)}`)
  } finally {
    child.kill()
    await closed
  }
}

async function portOf(output: AsyncIterable<unknown>): Promise<string> {
  let said = ''
  for await (const chunk of output) {
    said += String(chunk)
    const port = /(?:127\.0\.0\.1:|Port )(\d+)/.exec(said)?.[1]
    if (port !== undefined) return port
  }
  throw new Error(`The example ended before it listened: ${said}`)
}

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: string
}

/** Sends a POST with node:http, because `fetch` does not send a custom Host header. */
function post(url: string, message: object, headers: Record<string, string>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headers,
      },
    })
    sent.on('error', reject)
    sent.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => (body += chunk))
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: new Headers(response.headers as Record<string, string>),
          body,
        }),
      )
    })
    sent.end(JSON.stringify(message))
  })
}

export const initialize = (url: string, headers: Record<string, string> = {}): Promise<Reply> =>
  post(
    url,
    {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    },
    headers,
  )

/** The result text of a tool. */
export async function call(
  url: string,
  name: string,
  headers: Record<string, string>,
  args: object = {},
): Promise<string> {
  const params = { name, arguments: args }
  const { body } = await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/call', params }, headers)
  const { result } = JSON.parse(body) as { result: { content: [{ text: string }] } }
  return result.content[0].text
}

/** The raw first event of a stream. */
export async function firstEvent(url: string, headers: Record<string, string> = {}): Promise<string> {
  const { body } = await fetch(url, { headers: { accept: 'text/event-stream', ...headers } })
  let text = ''
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    if (text.includes('\n\n')) break
  }
  return text
}
