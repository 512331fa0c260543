import { describe, expect, it } from 'vitest'
import { parseUriTemplate } from '../../../src/features/uri-template/uri-template.ts'

/** Attempts to leave a handler's directory. None of them may reach a handler as a value. */
const FORMS = [
  '.',
  '..',
  '../etc/passwd',
  '../../etc/passwd',
  'a/../../etc/passwd',
  'a/..',
  'a/../',
  'a/./b',
  './a',
  'a/.',
  '%2e',
  '%2e%2e',
  '%2E%2E',
  '.%2e',
  '%2e.',
  '%2e%2e/etc/passwd',
  '%2e%2e%2fetc%2fpasswd',
  '..%2fetc%2fpasswd',
  '..%2Fetc',
  'a%2f..%2fb',
  'a%2f%2e%2e%2fb',
  'a/%2e%2e/b',
  'a/%2e/b',
  '..\\windows',
  '..%5cwindows',
  '..%5Cwindows',
  '%2e%2e%5cwindows',
  'a\\..\\b',
  'a%5c..%5cb',
  'a/..\\b',
  'a\\../b',
  'a%5c../b',
  '..;/etc',
  '..;a=b/etc',
  'a/..;',
  '..%3b/etc',
  '..%20/etc',
  'a/..%20',
  '%20../etc',
  '.. /etc',
  '..%c2%a0/etc',
  '/etc/passwd',
  '//etc/passwd',
  '//host/share',
  '%2fetc%2fpasswd',
  '%2Fetc/passwd',
  '%2f%2fhost',
  '\\windows',
  '%5cwindows',
  '\\\\host\\share',
  '%5c%5chost%5cshare',
  '\\\\?\\C:\\windows',
  'C:',
  'C:\\windows',
  'C:/windows',
  'c:windows',
  'C%3a%5cwindows',
  '%43:/windows',
  'z%3A',
  '%00',
  'a%00.txt',
  'a\u0000b',
  'a/%00/b',
  'a%0d%0ab',
  'a\nb',
  'a%1b[2J',
  'a%7f',
  'a%c2%85b',
  '%c0%ae%c0%ae/etc',
  '%c0%af',
  '%e0%80%ae',
  '%ed%a0%80',
  '%f8%80%80%80%ae',
  '%ff',
  '%c3',
  '\uD800',
  '%',
  '%2',
  '%zz',
  '%u002e%u002e',
  '%%32%65',
]

const TEMPLATES = [
  'x://{+v}',
  'x://root/{+v}',
  'x://root/{+v}/end',
  'x://{v}',
  'x://root/{v}/end',
  'x://{+v*}',
  'x://{v*}',
  'x://root{/v}',
  'x://root{/v*}',
  'x://root{.v}',
  'x://root{;v}',
  'x://root{;v*}',
  'x://root{?v}',
  'x://root{?v*}',
  'x://root?fixed=1{&v}',
  'x://root{#v}',
]

/** Replaces the template's variable with an unencoded path, as an attacker would. */
const plant = (template: string, form: string): string =>
  template.replace(/\{([+#./;?&]?)(v)\*?\}/, (_, operator: string) => {
    const lead = operator === '+' ? '' : operator
    return [';', '?', '&'].includes(operator) ? `${lead}v=${form}` : lead + form
  })

describe('path traversal through a template', () => {
  it('is tested with at least sixty spellings', () => {
    expect(new Set(FORMS).size).toBeGreaterThanOrEqual(60)
  })

  // In these templates "." starts a label and ";" starts another parameter, so the path is harmless.
  const harmless = (template: string, form: string): boolean =>
    (template.includes('{.v}') && form === '.') || (template.includes('{/v*}') && form.startsWith('/etc'))

  it.each(TEMPLATES)('is prevented by the template %s', (template) => {
    const parsed = parseUriTemplate(template)
    const escaped = FORMS.filter((form) => !harmless(template, form)).filter(
      (form) => parsed.match(plant(template, form)) !== undefined,
    )
    expect(escaped).toEqual([])
  })

  it.each(TEMPLATES)('is not mistaken for a harmless value, which the template %s matches', (template) => {
    expect(parseUriTemplate(template).match(plant(template, 'innocent..%20value'))).toBeDefined()
  })

  it.each(['x://root/{v}', 'x://root{/v}', 'x://root{/v*}', 'x://root{;v}', 'x://root{.v}', 'x://{a}/{v}'])(
    'is prevented by %s if the value contains a backslash or an encoded slash',
    (template) => {
      const parsed = parseUriTemplate(template)
      for (const form of ['a%2fb', 'a%2Fb', 'a\\b', 'a%5cb', 'a%5Cb', 'a%2f', 'a%5c']) {
        expect(parsed.match(plant(template, form).replace('{a}', 'a'))).toBeUndefined()
      }
    },
  )

  it('is prevented in each item of an array', () => {
    expect(parseUriTemplate('x{/v*}').match('x/a/../b')).toBeUndefined()
    expect(parseUriTemplate('x{?v*}').match('x?v=a&v=../b')).toBeUndefined()
    expect(parseUriTemplate('{+v*}').match('a,/etc')).toBeUndefined()
  })

  it('cannot be split across two variables', () => {
    expect(parseUriTemplate('x/{a}{b}/y').match('x/../y')).toBeUndefined()
    expect(parseUriTemplate('x/{a}.{b}').match('x/...')).toBeUndefined()
  })
})
