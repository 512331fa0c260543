import type { Group } from './row.ts'

/** A test with more than 60 tokens. Each is sent with every kind of request. */
const BAD_TOKEN = 'are refused with the same 401 for every request, before any handler runs: %s'

export const AUTHORIZATION: Group = {
  title: 'Authorization',
  rows: [
    {
      row: 'I1',
      fault: 'A token that is missing or malformed',
      behaviour: '401 with a challenge, which names the metadata if the app has some.',
      tests: [
        {
          file: 'packages/core/test/http/guard/bearer.test.ts',
          name: 'challenges a request without a token: %j',
        },
        {
          file: 'packages/core/test/http/guard/bearer.test.ts',
          name: 'includes the realm and the metadata URL in its challenge',
        },
      ],
    },
    {
      row: 'I2',
      fault: 'A token that has expired',
      behaviour:
        '401 more than 60 s after `expiresAt`, and open streams end. Other times in a token are up to `verify`.',
      tests: [
        {
          file: 'packages/core/test/http/guard/bearer.test.ts',
          name: 'expires 60 s late, to tolerate clock skew: %i s after the expiry time, the status is %i',
        },
        {
          file: 'packages/core/test/http/sessions/expiry.test.ts',
          name: 'close the GET stream, but let the session continue with new credentials',
        },
      ],
    },
    {
      row: 'I3',
      fault: 'A token for another audience',
      behaviour:
        '401 from `oauth`: the audience must be the address of the server. With `bearer` the app’s `verify` decides.',
      tests: [
        { file: 'packages/auth/test/bad-tokens.test.ts', name: BAD_TOKEN },
        { file: 'packages/auth/test/mounts.test.ts', name: 'refuses a token for another server' },
      ],
    },
    {
      row: 'I4',
      fault: 'A token of another issuer',
      behaviour: '401 from `oauth`, also if its keys are known. With `bearer` the app’s `verify` decides.',
      tests: [
        { file: 'packages/auth/test/bad-tokens.test.ts', name: BAD_TOKEN },
        {
          file: 'packages/auth/test/outages.test.ts',
          name: "are not taken from another issuer's metadata",
        },
      ],
    },
    {
      row: 'I5',
      fault: 'A token without a signature, or with another algorithm',
      behaviour:
        '401 from `oauth`, which accepts signatures of listed algorithms only, by usable keys of the issuer. With `bearer` the app’s `verify` decides.',
      tests: [
        { file: 'packages/auth/test/bad-tokens.test.ts', name: BAD_TOKEN },
        {
          file: 'packages/auth/test/bad-tokens.test.ts',
          name: 'are refused if their claims differ from those of a cached token with the same signature',
        },
        {
          file: 'packages/auth/test/keys.test.ts',
          name: 'affect only the tokens that name them if the keys are unusable: %s',
        },
      ],
    },
    {
      row: 'I6',
      fault: 'A token with too few scopes',
      behaviour:
        '403 with all scopes that the operation needs, before its handler runs and before a stream begins.',
      tests: [
        {
          file: 'packages/auth/test/mounts.test.ts',
          name: 'replies with 403 and the scopes that the tool requires (%s)',
        },
      ],
    },
    {
      row: 'I7',
      fault: 'A method or transport without authentication',
      behaviour:
        'One guard runs before the body is read, for every method and on the routes of HTTP+SSE. Health probes need no token.',
      tests: [
        {
          file: 'packages/core/test/http/sessions/session-table.test.ts',
          name: 'are all refused if `authenticate` returns nothing',
        },
        {
          file: 'packages/core/test/http/legacy-sse/sse-transport.test.ts',
          name: 'both require authentication',
        },
      ],
    },
    {
      row: 'I8',
      fault: 'Signing keys that change or cannot be fetched',
      behaviour:
        'A key that is new is fetched, at most once in 30 s. Known keys serve for 70 min while the key server is down; then requests get 503.',
      tests: [
        {
          file: 'packages/auth/test/outages.test.ts',
          name: 'are fetched again when a token names a new key',
        },
        {
          file: 'packages/auth/test/keys.test.ts',
          name: 'are used for 70 min while their server is down, and then requests are refused with 503',
        },
      ],
    },
    {
      row: 'I9',
      fault: 'Tokens in logs, or at another server',
      behaviour:
        'No log and no error has one. The client sends credentials to the origin of their server only.',
      tests: [
        {
          file: 'packages/core/test/http/guard/bearer.test.ts',
          name: 'refuses the token if `verify` fails, and hides the cause from the client',
        },
        {
          file: 'packages/client/test/auth/secrets.test.ts',
          name: 'are sent only to the origin of the server to which they belong',
        },
        {
          file: 'packages/client/test/auth/with-auth.test.ts',
          name: 'does not follow a redirect with status %i',
        },
        {
          file: 'packages/client/test/auth/secrets.test.ts',
          name: 'is thrown for an access token that is not a valid header value, such as one with %s',
        },
        {
          file: 'packages/client/test/auth/secrets.test.ts',
          name: "an error for an invalid header does not contain the header's value",
        },
      ],
    },
    {
      row: 'I10',
      fault: 'Metadata that leads the client into a private network',
      behaviour:
        'Public servers lead to public addresses only, over https. A name is resolved once; no redirect is followed.',
      tests: [
        { file: 'packages/client/test/auth/addresses.test.ts', name: 'is not contacted: %j' },
        {
          file: 'packages/client/test/auth/addresses.test.ts',
          name: 'is never contacted, and never shown to the user: %s',
        },
        {
          file: 'packages/client/test/auth/addresses.test.ts',
          name: 'is resolved only once, which prevents DNS rebinding',
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
          name: 'given iss support %j and iss "%s", causes the error "%s"',
        },
        {
          file: 'packages/client/test/auth/discovery.test.ts',
          name: 'is rejected if its issuer ends with an extra %j',
        },
        {
          file: 'packages/client/test/auth/registration.test.ts',
          name: 'never uses a client id of another issuer',
        },
      ],
    },
    {
      row: 'I12',
      fault: 'A dangerous URL for the user to open',
      behaviour:
        'The user never sees it: a public server’s authorization URL is https and public, an elicited one http or https.',
      tests: [
        { file: 'packages/client/test/auth/authorization-code.test.ts', name: 'is never sent to %s' },
        {
          file: 'packages/client/test/input/input-requests.test.ts',
          name: 'is rejected without calling the handler if its mode was not declared or its URL is unsafe',
        },
      ],
    },
    {
      row: 'I13',
      fault: 'A stolen token that is bound to a key, or a stolen proof',
      behaviour:
        '401 from `oauth` without a proof for this request by this key. A proof is accepted once, by all processes that share stores.',
      tests: [
        {
          file: 'packages/auth/test/dpop/proofs.test.ts',
          name: 'is refused with the same 401 for every request, before any handler runs: %s',
        },
        { file: 'packages/auth/test/dpop/modes.test.ts', name: 'are refused by every process of a cluster' },
        {
          file: 'apps/auth-server/test/dpop.system.test.ts',
          name: 'three processes share their nonces, and accept each proof only once in total',
        },
      ],
    },
    {
      row: 'I14',
      fault: 'Invented tokens that flood the introspection',
      behaviour:
        'Tokens that were active go first, and keep their last answer while the issuer cannot answer, until their `exp` and for an hour at most. Others wait up to 2 s, by network, then 503.',
      tests: [
        {
          file: 'packages/auth/test/invented-tokens.test.ts',
          name: 'takes precedence over a queue full of invented tokens',
        },
        {
          file: 'packages/auth/test/invented-tokens.test.ts',
          name: 'keeps its cached result if the issuer %s, and is checked again after 5 s',
        },
        {
          file: 'packages/auth/test/invented-tokens.test.ts',
          name: 'take turns with those from another network: %s and %s',
        },
      ],
    },
    {
      row: 'I15',
      fault: 'A well-known address with a closing slash',
      behaviour: 'It has the same reply as without, on every framework.',
      tests: [
        {
          file: 'packages/auth/test/metadata.test.ts',
          name: 'is served at the same paths as on every other framework (under a path prefix: %s)',
        },
      ],
    },
  ],
}
