/**
 * The passages in documents that depend on the facts of the project. Each has one text for the time before
 * the packages are on npm, and another for the time after. A document contains one of the two.
 */
import { REPOSITORY_PLACEHOLDER, repositoryOf } from './facts.mjs'

const CLONE = `git clone ${REPOSITORY_PLACEHOLDER} jetway
cd jetway && npm run pack && cd ..`

/** @type {readonly { file: string, before: string, after: string }[]} */
export const PLACES = [
  {
    file: 'README.md',
    before: `Jetway is not on npm yet. Pack it from a clone:

\`\`\`sh
${CLONE}
\`\`\`

Make a project next to the clone. Jetway's`,
    after: `Make a project, or let \`npm create jetway@latest\` make one from a [template](docs/guide/create.md). Jetway's`,
  },
  {
    file: 'README.md',
    before: `Name every \`@jetway\` package that another one needs, since npm cannot find it elsewhere. [Install](docs/guide/install.md) has the list for each package.`,
    after: `[Install](docs/guide/install.md) has the command for each package.`,
  },
  {
    file: 'docs/guide/install.md',
    before: `## Get the packages

Jetway is not on npm yet. Pack it from a clone:

\`\`\`sh
${CLONE}
\`\`\`

This takes a minute or two. The packages are then in \`jetway/tarballs\`, as npm will get them.

## Make a project`,
    after: `## Make a project`,
  },
  {
    file: 'docs/guide/install.md',
    before: `bash and zsh expand the braces. In another shell, write each file out. Go on with`,
    after: `Go on with`,
  },
  {
    file: 'docs/guide/install.md',
    before: `Each list has the \`@jetway\` packages that the others need, because npm cannot find them elsewhere. The READMEs of the packages already name them as they will be on npm: \`@jetway/core\` instead of a tarball.`,
    after: `npm installs the packages that these need. Name \`@jetway/core\` all the same: your code imports it.`,
  },
  {
    file: 'docs/index.md',
    before: `Jetway is not on npm yet: [Install](guide/install.md) makes these files from a clone, and the`,
    after: `[Install](guide/install.md) has the command for each package, and the`,
  },
  { file: 'docs/index.md', before: `| on npm | not yet |`, after: `| on npm | yes |` },
  {
    file: 'docs/guide/troubleshooting.md',
    before: `Jetway is not on npm yet, and a tarball needs another one | name all tarballs of the line in [Install](install.md) |`,
    after: `npm asks another registry | \`npm config get registry\` must print \`https://registry.npmjs.org/\`, or a mirror of it |`,
  },
  {
    file: 'docs/guide/project-layout.md',
    before: `mkdir vendor src src/tools
cp ../jetway/tarballs/jetway-{core,json-schema,node,fastify}-0.0.0.tgz vendor
npm install ./vendor/*.tgz fastify zod`,
    after: `mkdir src src/tools
npm install @jetway/core @jetway/fastify fastify zod`,
  },
  {
    file: 'docs/guide/project-layout.md',
    before: `The tarballs are those of [Install](install.md). They lie in the project, in \`vendor\`, so that a server can install them when it builds an [image](deployment.md). \`tsconfig.json\``,
    after: `\`tsconfig.json\``,
  },
  ...['apps/examples/deploy/Dockerfile', 'docs/guide/deployment.md'].map((file) => ({
    file,
    before: `COPY vendor vendor\nRUN npm ci`,
    after: `RUN npm ci`,
  })),
  ...['apps/examples/deploy/.dockerignore', 'docs/guide/deployment.md'].map((file) => ({
    file,
    before: `!src\n!vendor`,
    after: `!src`,
  })),
  {
    file: 'docs/guide/create.md',
    before: `Jetway is not on npm yet. Pack it from a clone, and serve the packages on your machine:

\`\`\`sh
${CLONE}
\`\`\`

\`\`\`sh
node jetway/scripts/registry.mjs
\`\`\`

The second command keeps running. It redirects npm to the usual registry for all other packages. In another terminal, point npm to it before you go on:

\`\`\`sh
export npm_config_registry=http://127.0.0.1:4873/
\`\`\`

Then make the project:

\`\`\`sh
npm create`,
    after: `\`\`\`sh
npm create`,
  },
  {
    file: 'docs/guide/versions.md',
    before: `Jetway is not on npm yet: until then, [pack it from a clone](install.md#get-the-packages), and \`git pull\` is the update.`,
    after: `\`@latest\` is the newest version that is released.`,
  },
  {
    file: 'docs/skills/jetway/SKILL.md',
    before: `Jetway is not on npm yet: \`npm run pack\` in a clone of its repository makes tarballs. Install those of the packages that you need, and of the packages that they need.`,
    after: `\`npm install @jetway/core @jetway/stdio zod\`, and \`npm install --save-dev @jetway/cli @jetway/testing vitest\`.`,
  },
  {
    file: 'CONTRIBUTING.md',
    before: `git clone ${REPOSITORY_PLACEHOLDER} && cd jetway`,
    after: `git clone ${REPOSITORY_PLACEHOLDER} jetway && cd jetway`,
  },
]

/** A pattern that matches a passage with any repository address. */
function patternOf(passage) {
  const parts = passage
    .split(REPOSITORY_PLACEHOLDER)
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`))
  return new RegExp(parts.join(String.raw`(?:${REPOSITORY_PLACEHOLDER}|https://github\.com/\S+)`))
}

/**
 * @param {string} text a document @param {readonly { file: string, before: string, after: string }[]} places
 * its passages
 * @param {Record<string, any>} facts
 * @returns {{ text: string, problems: string[] }} the document with the passages that match the facts
 */
export function updatePlaces(text, places, facts) {
  const problems = []
  for (const { file, before, after } of places) {
    const wanted = (facts.published ? after : before).replaceAll(REPOSITORY_PLACEHOLDER, repositoryOf(facts))
    // Look for the text before publishing first, because it is longer and may contain the other one.
    const found = [before, after].map(patternOf).find((pattern) => pattern.test(text))
    if (found === undefined)
      problems.push(`${file} lacks this passage, see scripts/project/places.mjs:\n${wanted}`)
    else text = text.replace(found, () => wanted)
  }
  return { text, problems }
}
