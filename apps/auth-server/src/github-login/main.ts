/** Starts an authorization server for an MCP server. Users log in with GitHub, and a proxy terminates TLS. */
import process from 'node:process'
import type { JWK } from 'oidc-provider'
import { serve } from './serve.ts'

function required(name: string): string {
  const value = process.env[name]
  if (value === undefined || value === '') throw new Error(`Set ${name}`)
  return value
}

const { PORT = '8080', GITHUB_USERS } = process.env
const users = GITHUB_USERS?.split(',')
const secret = required('SECRET')

await serve(
  {
    issuer: required('ISSUER'),
    resource: required('RESOURCE'),
    scopes: required('SCOPES').split(' '),
    keys: [JSON.parse(required('PRIVATE_JWK')) as JWK],
    cookieKeys: [secret],
    secret,
    github: { clientId: required('GITHUB_CLIENT_ID'), clientSecret: required('GITHUB_CLIENT_SECRET') },
    ...(users !== undefined && { mayLogIn: ({ id }) => users.includes(String(id)) }),
  },
  { port: Number(PORT), host: '127.0.0.1' },
)
