/**
 * Writes the tables of options and members in the reference pages from the JSDoc of the interfaces. A table
 * goes between `<!-- members: packages/core/src/server/options.ts#ServerOptions -->` and `<!-- /members -->`.
 * Nested options follow, with names such as `limits.pageSize`. Without arguments, prints which pages differ
 * and exits with code 1; `--write` updates them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const root = fileURLToPath(new URL('../..', import.meta.url))
const reference = join(root, 'docs', 'reference')
const TABLE = /<!-- members: (\S+)#(\w+) -->[\s\S]*?<!-- \/members -->/g
/** Matches the names of interfaces that contain options. Their members also get rows. */
const NESTED = /(?:Options|Limits)$/

/** @param {readonly string[]} files */
function createReader(files) {
  const program = ts.createProgram(
    files.map((file) => join(root, file)),
    {
      target: ts.ScriptTarget.ESNext,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      customConditions: ['jetway:source'],
      allowImportingTsExtensions: true,
      exactOptionalPropertyTypes: true,
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
    },
  )
  const checker = program.getTypeChecker()

  /** @param {string} file @param {string} name */
  function table(file, name) {
    const source = program.getSourceFile(join(root, file))
    const declared = source?.statements.find(
      (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === name,
    )
    if (declared === undefined) throw new Error(`${file} has no interface ${name}`)
    // Inherited options have their own table.
    const own = declared.members.flatMap((member) => checker.getSymbolAtLocation(member.name) ?? [])
    const rows = rowsOf(own, '')
    const withDefaults = rows.some((row) => row.default !== '')
    // The type is shown below the name, to leave room for the text.
    const head = withDefaults ? ['option', 'default', ''] : ['member', '']
    const lines = rows.map((row) => {
      const first = `${row.name}<br>${row.type}`
      return withDefaults ? [first, row.default, row.text] : [first, row.text]
    })
    return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
  }

  /** @param {readonly ts.Symbol[]} members @param {string} prefix @returns {{ name: string, type: string, default: string, text: string }[]} */
  function rowsOf(members, prefix) {
    return members.flatMap((member) => {
      const tags = member.getJsDocTags(checker)
      if (tags.some((tag) => tag.name === 'internal')) return []
      const memberType = checker.getNonNullableType(checker.getTypeOfSymbol(member))
      const name = prefix + member.name
      const nested = nestedIn(memberType)
      const row = {
        name: `\`${name}${parametersOf(member)}\``,
        type: typeText(member, nested),
        default: literal(textOf(tags.find((tag) => tag.name === 'default')?.text)),
        text: description(member, tags),
      }
      return [row, ...(nested === undefined ? [] : rowsOf(nested.getProperties(), `${name}.`))]
    })
  }

  /** Returns the options interface in a type, or among the members of a union. @param {ts.Type} type */
  function nestedIn(type) {
    const parts = type.isUnion() ? type.types : [type]
    return parts.find((part) => {
      const name = part.aliasSymbol?.name ?? part.symbol?.name ?? ''
      const partial = name === 'Partial' || part.aliasSymbol?.name === 'Partial'
      const inner = partial ? (part.aliasTypeArguments?.[0]?.symbol?.name ?? '') : name
      return NESTED.test(inner) && part.getCallSignatures().length === 0
    })
  }

  /**
   * Returns the type as it is declared, but `object` for nested options.
   *
   * @param {ts.Symbol} member
   * @param {ts.Type | undefined} nested
   */
  function typeText(member, nested) {
    const declared = declarationOf(member)
    if (declared !== undefined && ts.isMethodSignature(declared)) return 'method'
    // A member of a mapped type such as Record has no declaration.
    if (declared === undefined || !ts.isPropertySignature(declared) || declared.type === undefined)
      return cell(`\`${checker.typeToString(checker.getNonNullableType(checker.getTypeOfSymbol(member)))}\``)
    const parts = ts.isUnionTypeNode(declared.type) ? declared.type.types : [declared.type]
    const texts = parts
      .filter((part) => part.kind !== ts.SyntaxKind.UndefinedKeyword)
      .map((part) => {
        const type = checker.getTypeFromTypeNode(part)
        if (type.getCallSignatures().length > 0) return 'function'
        return type === nested ? 'object' : `\`${part.getText()}\``
      })
    return cell(texts.join(', '))
  }

  /** @param {ts.Symbol} member @param {readonly ts.JSDocTagInfo[]} tags */
  function description(member, tags) {
    const links = tags
      .filter((tag) => tag.name === 'see')
      .map((tag) => textOf(tag.text).replace(/^(https?)?(?=:\/\/)/, 'https'))
      .map((url) => `[Specification](${url})`)
    return cell([textOf(member.getDocumentationComment(checker)), ...links].join(' '))
  }

  return { table }
}

/** @param {string | readonly ts.SymbolDisplayPart[] | undefined} parts */
function textOf(parts) {
  const text = typeof parts === 'string' ? parts : ts.displayPartsToString([...(parts ?? [])])
  return text.replace(/\{@link\s+(\w+)\s*\}/g, '`$1`').trim()
}

/** @param {ts.Symbol} member */
const declarationOf = ({ valueDeclaration, declarations }) => valueDeclaration ?? declarations?.[0]

/** Returns the parameters of a method, such as `(total?, message?)`. @param {ts.Symbol} member */
function parametersOf(member) {
  const declared = declarationOf(member)
  if (declared === undefined || !ts.isMethodSignature(declared)) return ''
  const names = declared.parameters
    .map(({ name, questionToken }) => name.getText() + (questionToken === undefined ? '' : '?'))
    .filter((name) => name !== 'this')
  return `(${names.join(', ')})`
}

/** Formats a default value as code, unless it is a description. @param {string} text */
const literal = (text) =>
  /^(?:'[^']*'|[\d_]+|\{.*\}|true|false)$/.test(text) ? `\`${cell(text)}\`` : cell(text)

/** @param {string} text */
const cell = (text) => text.replace(/\s+/g, ' ').replace(/\|/g, '\\|').trim()

function main() {
  const pages = readdirSync(reference)
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({ name, text: readFileSync(join(reference, name), 'utf8') }))
    .filter(({ text }) => text.match(TABLE) !== null)
  const files = new Set(pages.flatMap(({ text }) => [...text.matchAll(TABLE)].map(([, file]) => file)))
  const reader = createReader([...files])
  for (const { name, text } of pages) {
    const updated = text.replace(
      TABLE,
      (_table, file, type) =>
        `<!-- members: ${file}#${type} -->\n\n${reader.table(file, type)}\n\n<!-- /members -->`,
    )
    if (updated === text) continue
    if (argv.includes('--write')) writeFileSync(join(reference, name), updated)
    else {
      console.error(
        `docs/reference/${name} differs from the JSDoc. To update it: node docs/scripts/members.mjs --write`,
      )
      process.exitCode = 1
    }
  }
}

main()
