import { checkNames, checkOption, type OptionNames } from '@jetway/core/protocol'
import type { DpopOptions, OAuthOptions } from '../options.ts'
import { Nonces } from './nonces.ts'

export type Mode = 'off' | 'accept' | 'require'

/** The checked `dpop` option. All mounts share its nonces, because clients remember only one nonce per origin. */
export interface ResolvedDpop {
  readonly mode: Mode
  readonly nonces: Nonces | undefined
}

const NAMES: OptionNames<DpopOptions> = { mode: 1, nonce: { keys: 1 } }

/** @throws `ERR_MCP_OPTION` */
export function resolveDpop(option: OAuthOptions['dpop'] = 'off'): ResolvedDpop {
  if (typeof option === 'string') {
    checkOption('dpop', ['off', 'accept', 'require'].includes(option), "must be 'off', 'accept' or 'require'")
    return { mode: option, nonces: undefined }
  }
  checkNames(option, NAMES)
  const { mode, nonce = false } = option
  checkOption('dpop.mode', ['accept', 'require'].includes(mode), "must be 'accept' or 'require'")
  if (nonce === false) return { mode, nonces: undefined }
  return { mode, nonces: new Nonces(nonce === true ? undefined : nonce.keys) }
}
