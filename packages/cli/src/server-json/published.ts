import { CliError } from '../errors.ts'
import { isObject } from '@jetway/core/protocol'
import type { PackageJson } from '../project/package-json.ts'
import { NPM_REGISTRY } from './document.ts'

const TIMEOUT_MS = 10_000
const MAX_BYTES = 4 * 1_048_576

/**
 * Checks that npm has this version of a package, with the same `mcpName`. The registry also checks this, and
 * otherwise rejects the server.
 *
 * @param registry - a registry to use instead of npm's, from npm's own variable `npm_config_registry`
 * @throws CliError `failed`, or `unreachable`
 */
export async function checkPublished(
  { name, version, mcpName }: PackageJson,
  registry: string = NPM_REGISTRY,
): Promise<void> {
  const url = `${registry.replace(/\/$/, '')}/${name.replace('/', '%2f')}/${version}`
  const published = await fetchJson(url)
  if (published === undefined)
    throw new CliError('failed', `${registry} has no ${name}@${version}`, {
      hint: 'Publish it first: npm publish. The registry asks npm for this version',
    })
  if (published['mcpName'] === mcpName) return
  throw new CliError(
    'failed',
    `${name}@${version} was published with mcpName ${JSON.stringify(published['mcpName'] ?? null)}, and package.json has ${JSON.stringify(mcpName ?? null)}`,
    { hint: 'A published version cannot change: publish a new one' },
  )
}

/** Resolves to undefined if npm does not have the version. */
async function fetchJson(url: string): Promise<Readonly<Record<string, unknown>> | undefined> {
  let response: Response
  let text: string
  try {
    response = await fetch(url, {
      headers: { accept: 'application/json' },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    if (response.status === 404) return undefined
    text = await readText(response)
  } catch (error) {
    throw new CliError('unreachable', `${url} cannot be fetched: ${(error as Error).message}`, {
      cause: error,
    })
  }
  if (!response.ok) throw new CliError('unreachable', `${url} answers with status ${response.status}`)
  try {
    const value = JSON.parse(text) as unknown
    if (isObject(value)) return value
  } catch {
    // The error is thrown below.
  }
  throw new CliError('unreachable', `${url} answers with something else than a JSON object`)
}

async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > MAX_BYTES) throw new Error(`the answer is longer than ${MAX_BYTES} bytes`)
  }
  return text
}
