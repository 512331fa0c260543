import { UsageError } from '../errors.ts'
import { anthropic } from './anthropic.ts'
import type { Model } from './model.ts'
import { openai } from './openai.ts'

type Env = Readonly<Record<string, string | undefined>>

const ANTHROPIC = 'https://api.anthropic.com'
const OPENAI = 'https://api.openai.com/v1'

const HOW = `Say in the environment where the model is:

  ANTHROPIC_API_KEY=... ANTHROPIC_MODEL=...          Anthropic; ANTHROPIC_BASE_URL for another endpoint of its API
  OPENAI_API_KEY=... OPENAI_MODEL=...                OpenAI
  OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=...   any server with OpenAI's API, such as Ollama or vLLM`

/**
 * The model that the environment names: Anthropic's where there is something for either, unless `api` says otherwise.
 *
 * @throws UsageError that says what to set
 */
export function modelFrom(
  env: Env,
  wanted: { readonly api?: string | undefined; readonly model?: string | undefined },
): Model {
  const api = wanted.api ?? apiOf(env)
  if (api === undefined) throw new UsageError(`There is no model to talk to. ${HOW}`)
  return api === 'anthropic' ? anthropicFrom(env, wanted.model) : openaiFrom(env, wanted.model)
}

const given = (env: Env, name: string): string | undefined => env[name]?.trim() || undefined

function apiOf(env: Env): 'anthropic' | 'openai' | undefined {
  if (given(env, 'ANTHROPIC_API_KEY') ?? given(env, 'ANTHROPIC_AUTH_TOKEN')) return 'anthropic'
  if (given(env, 'OPENAI_API_KEY') ?? given(env, 'OPENAI_BASE_URL')) return 'openai'
  return given(env, 'ANTHROPIC_BASE_URL') === undefined ? undefined : 'anthropic'
}

function anthropicFrom(env: Env, model = given(env, 'ANTHROPIC_MODEL')): Model {
  const key = given(env, 'ANTHROPIC_API_KEY')
  const token = given(env, 'ANTHROPIC_AUTH_TOKEN')
  const base = given(env, 'ANTHROPIC_BASE_URL')
  // An endpoint of one's own may want no key.
  if ((key ?? token ?? base) === undefined) throw new UsageError(`ANTHROPIC_API_KEY is not set. ${HOW}`)
  const url = `${baseOf('ANTHROPIC_BASE_URL', base ?? ANTHROPIC)}/v1/messages`
  const headers = {
    'anthropic-version': '2023-06-01',
    ...(key !== undefined && { 'x-api-key': key }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
  }
  return anthropic({ url, headers }, modelOf('ANTHROPIC_MODEL', model))
}

function openaiFrom(env: Env, model = given(env, 'OPENAI_MODEL')): Model {
  const key = given(env, 'OPENAI_API_KEY')
  const base = given(env, 'OPENAI_BASE_URL')
  if ((key ?? base) === undefined) throw new UsageError(`OPENAI_API_KEY is not set. ${HOW}`)
  const url = `${baseOf('OPENAI_BASE_URL', base ?? OPENAI)}/chat/completions`
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
  const limit = base === undefined ? 'max_completion_tokens' : 'max_tokens'
  return openai({ url, headers }, modelOf('OPENAI_MODEL', model), limit)
}

/** The value is not repeated: it may hold a key. */
function baseOf(variable: string, url: string): string {
  if (!/^https?:/.test(url) || !URL.canParse(url))
    throw new UsageError(`${variable} is an http or https address`)
  return url.replace(/\/+$/, '')
}

function modelOf(variable: string, model: string | undefined): string {
  if (model !== undefined) return model
  throw new UsageError(`Say which model to use: set ${variable}, or give --model NAME.`)
}
