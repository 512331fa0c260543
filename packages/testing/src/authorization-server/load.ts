import { UsageError } from '@jetway/core'
import type * as OidcProvider from 'oidc-provider'

export type { OidcProvider }

/**
 * Loads the optional peer dependency.
 *
 * @throws UsageError `ERR_MCP_OPTION` if it is not installed
 */
export async function loadOidcProvider(): Promise<typeof OidcProvider> {
  addUrlParse()
  try {
    return await import('oidc-provider')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new UsageError(
      'ERR_MCP_OPTION',
      'The authorization server needs oidc-provider: npm install --save-dev oidc-provider@9',
      { cause: error },
    )
  }
}

/**
 * Adds `URL.parse`, which `oidc-provider` calls and which exists since Node.js 22.1. Node.js 20.19 has
 * everything else.
 *
 * @see https://url.spec.whatwg.org/#dom-url-parse
 */
function addUrlParse(): void {
  const constructor: { parse?: unknown } = URL
  constructor.parse ??= (url: string, base?: string): URL | null =>
    URL.canParse(url, base) ? new URL(url, base) : null
}
