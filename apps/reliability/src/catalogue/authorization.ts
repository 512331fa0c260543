import type { Group } from './row.ts'

const NO_RESOURCE_SERVER = 'Jetway verifies no tokens: there is no OAuth resource server.'

export const AUTHORIZATION: Group = {
  title: 'Authorization',
  rows: [
    {
      row: 'I1',
      fault: 'A token that is missing or malformed',
      behaviour: '401 with a challenge, which names the metadata if the app has some.',
      tests: [
        { file: 'packages/core/test/http/guard/bearer.test.ts', name: 'asks for a token if there is none' },
        {
          file: 'packages/core/test/http/guard/bearer.test.ts',
          name: 'names realm and metadata in its challenge',
        },
      ],
    },
    {
      row: 'I2',
      fault: 'A token that has expired',
      behaviour:
        '401 more than 60 s after `expiresAt`, and open streams end. Other times in a token are up to `verify`.',
      tests: [
        { file: 'packages/core/test/http/guard/bearer.test.ts', name: 'that expired %i s ago gets %i' },
        {
          file: 'packages/core/test/http/sessions/expiry.test.ts',
          name: 'of a session ends, and with new credentials continues where it stopped',
        },
      ],
    },
    {
      row: 'I3',
      fault: 'A token for another audience',
      behaviour: 'The app’s `verify` decides.',
      lacks: NO_RESOURCE_SERVER,
    },
    {
      row: 'I4',
      fault: 'A token of another issuer',
      behaviour: 'The app’s `verify` decides.',
      lacks: NO_RESOURCE_SERVER,
    },
    {
      row: 'I5',
      fault: 'A token without a signature, or with another algorithm',
      behaviour: 'The app’s `verify` decides.',
      lacks: NO_RESOURCE_SERVER,
    },
    {
      row: 'I6',
      fault: 'A token with too few scopes',
      behaviour:
        'Handlers see the scopes. `authenticate` may refuse a request with another status and challenge.',
      lacks: 'Jetway compares no scopes.',
    },
    {
      row: 'I7',
      fault: 'A method or transport without authentication',
      behaviour:
        'One guard runs before the body is read, for every method and on the routes of HTTP+SSE. Health probes need no token.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'are all refused if authenticate finds no caller',
        },
        {
          file: 'packages/core/test/http/legacy-sse/sse-transport.test.ts',
          name: 'authenticates on both routes',
        },
      ],
    },
    {
      row: 'I8',
      fault: 'Signing keys that change or cannot be fetched',
      behaviour: 'The app’s `verify` decides. If it throws, the request gets 401.',
      lacks: NO_RESOURCE_SERVER,
    },
    {
      row: 'I9',
      fault: 'Tokens in logs, or at another server',
      behaviour:
        'No log and no error has one. The client sends credentials to the origin of their server only.',
      tests: [
        {
          file: 'packages/core/test/http/guard/bearer.test.ts',
          name: 'refuses the token if verify throws or rejects, and only logs the cause',
        },
        { file: 'packages/client/test/auth/secrets.test.ts', name: 'go to the origin of its server only' },
        { file: 'packages/client/test/auth/with-auth.test.ts', name: 'a redirect %i is not followed' },
      ],
    },
    {
      row: 'I10',
      fault: 'Metadata that leads the client into a private network',
      behaviour:
        'Public servers lead to public addresses only, over https. A name is resolved once; no redirect is followed.',
      tests: [
        { file: 'packages/client/test/auth/addresses.test.ts', name: 'is not contacted: %j' },
        { file: 'packages/client/test/auth/addresses.test.ts', name: 'is not contacted and not shown: %s' },
        {
          file: 'packages/client/test/auth/addresses.test.ts',
          name: 'is resolved once, so that DNS rebinding cannot work',
        },
      ],
    },
    {
      row: 'I11',
      fault: 'A false authorization server',
      behaviour: 'The issuer of metadata and responses must match. Credentials are bound to their issuer.',
      tests: [
        {
          file: 'packages/client/test/auth/authorization-code.test.ts',
          name: 'announced %j and %s ends in: %s',
        },
        {
          file: 'packages/client/test/auth/discovery.test.ts',
          name: 'is not used if its issuer differs by %j',
        },
        { file: 'packages/client/test/auth/registration.test.ts', name: 'of another issuer is never used' },
      ],
    },
    {
      row: 'I12',
      fault: 'A dangerous URL for the user to open',
      behaviour:
        'The user never sees it: a public server’s authorization URL is https and public, an elicited one http or https.',
      tests: [
        { file: 'packages/client/test/auth/authorization-code.test.ts', name: 'never sees %s' },
        {
          file: 'packages/client/test/input/input-requests.test.ts',
          name: 'unsafe URLs never reach a handler',
        },
      ],
    },
  ],
}
