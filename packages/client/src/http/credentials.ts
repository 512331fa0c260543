import type { AuthProvider } from '../auth/provider.ts'

/** What a provider of credentials has thrown, so that nobody takes it for a failure of the network. */
export class CredentialsError extends Error {
  constructor(cause: unknown) {
    super('The provider of credentials has failed', { cause })
    this.name = 'CredentialsError'
  }
}

/** A provider whose failures are `CredentialsError`s. */
export function failingByName(provider: AuthProvider): AuthProvider {
  return {
    headers: (request) => named(() => provider.headers(request)),
    // Without the function there is nobody to ask after a refusal.
    ...(provider.challenged !== undefined && {
      challenged: (answer) => named(async () => (await provider.challenged?.(answer)) ?? 'give-up'),
    }),
    answered: (answer) => provider.answered?.(answer),
  }
}

async function named<T>(ask: () => T | Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new CredentialsError(error)
  }
}
