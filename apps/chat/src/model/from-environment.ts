import { UsageError } from '../errors.ts'
import { anthropic } from './anthropic.ts'
import type { Model } from './model.ts'
import { openai } from './openai.ts'

type Env = Readonly<Record<string, string | undefined>>

const ANTHROPIC_URL = 'https://api.anthropic.com'
const OPENAI_URL = 'https://api.openai.com/v1'

const HELP = `Set these environment variables to select a model:

  ANTHROPIC_API_KEY=... ANTHROPIC_MODEL=...          Anthropic; ANTHROPIC_BASE_URL for another endpoint of its API
  OPENAI_API_KEY=... OPENAI_MODEL=...                OpenAI
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=...   any server with OpenAI's API, such as Ollama or vLLM`

/**
 * Creates the model that the environment variables select. If they are set for both APIs, `api` selects one;
 * the default is Anthropic.
 *
 * @throws UsageError that names the variable to set
 */
export function modelFromEnvironment(
  env: Env,
  wanted: { readonly api?: string | undefined; readonly model?: string | undefined },
): Model {
  const api = wanted.api ?? apiOf(env)
  if (api === undefined) throw new UsageError(`No model is configured. ${HELP}`)
  return api === 'anthropic' ? anthropicFrom(env, wanted.model) : openaiFrom(env, wanted.model)
}

const valueOf = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined

function apiOf(env: Env): 'anthropic' | 'openai' | undefined {
  if (valueOf(env, 'ANTHROPIC_API_KEY') ?? valueOf(env, 'ANTHROPIC_AUTH_TOKEN')) return 'anthropic'
  if (valueOf(env, 'OPENAI_API_KEY') ?? valueOf(env, 'OPENAI_BASE_URL')) return 'openai'
  return valueOf(env, 'ANTHROPIC_BASE_URL') === undefined ? undefined : 'anthropic'
}

function anthropicFrom(env: Env, model = valueOf(env, 'ANTHROPIC_MODEL')): Model {
  const key = valueOf(env, 'ANTHROPIC_API_KEY')
  const token = valueOf(env, 'ANTHROPIC_AUTH_TOKEN')
  const base = valueOf(env, 'ANTHROPIC_BASE_URL')
  // A self-hosted endpoint may need no key.
  if ((key ?? token ?? base) === undefined) throw new UsageError(`ANTHROPIC_API_KEY is not set. ${HELP}`)
  const url = `${baseOf('ANTHROPIC_BASE_URL', base ?? ANTHROPIC_URL)}/v1/messages`
  const headers = {
    'anthropic-version': '2023-06-01',
    ...(key !== undefined && { 'x-api-key': key }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return anthropic({ url, headers }, modelOf('ANTHROPIC_MODEL', model))
}

function openaiFrom(env: Env, model = valueOf(env, 'OPENAI_MODEL')): Model {
  const key = valueOf(env, 'OPENAI_API_KEY')
  const base = valueOf(env, 'OPENAI_BASE_URL')
  if ((key ?? base) === undefined) throw new UsageError(`OPENAI_API_KEY is not set. ${HELP}`)
  const url = `${baseOf('OPENAI_BASE_URL', base ?? OPENAI_URL)}/chat/completions`
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const limit = base === undefined ? 'max_completion_tokens' : 'max_tokens'
  return openai({ url, headers }, modelOf('OPENAI_MODEL', model), limit)
}

/** The message does not repeat the value, because it may be a key that was set by mistake. */
function baseOf(variable: string, url: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`${variable} must be an http or https URL`)
  return url.replace(/\/+$/, '')
}

function modelOf(variable: string, model: string | undefined): string {
  if (model !== undefined) return model
  throw new UsageError(`No model name is set. Set ${variable}, or pass --model NAME.`)
}
