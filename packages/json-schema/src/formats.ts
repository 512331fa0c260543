/** A check for a string or a number. `true` accepts every value. */
export type Format =
  | ((text: string) => boolean)
  | { readonly type: 'number'; readonly validate: (value: number) => boolean }
  | true

const DATE = /^(\d{4})-(\d\d)-(\d\d)$/
const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:z|([+-])(\d\d)(?::?(\d\d))?)?$/i
const ZONE = /(?:z|[+-]\d\d(?::?\d\d)?)$/i
const DATE_TIME = /^(.{10})[t\s](.+)$/is

/** https://www.rfc-editor.org/rfc/rfc3339#section-5.6 */
function isDate(text: string): boolean {
  const found = DATE.exec(text)
  if (found === null) return false
  const [year, month, day] = [1, 2, 3].map((i) => Number(found[i])) as [number, number, number]
  return day >= 1 && month >= 1 && month <= 12 && day <= daysOf(year, month)
}

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}

/** Checks a time with an optional offset. */
function isIsoTime(text: string): boolean {
  const found = TIME.exec(text)
  if (found === null) return false
  const [hour, minute, second, offsetHours, offsetMinutes] = [1, 2, 3, 5, 6].map((i) => Number(found[i] ?? 0))
  if (hour! > 23 || minute! > 59 || offsetHours! > 23 || offsetMinutes! > 59) return false
  // A leap second can only be the last second of a UTC day.
  const offset = (offsetHours! * 60 + offsetMinutes!) * (found[4] === '-' ? -1 : 1)
  const utc = (hour! * 60 + minute! - offset + 2 * 1440) % 1440
  return second! < 60 || (second === 60 && utc === 1439)
}

/** Checks a time with an offset. See https://www.rfc-editor.org/rfc/rfc3339#section-5.6. */
const isTime = (text: string): boolean => ZONE.test(text) && isIsoTime(text)

/** Checks a date and time with an offset. See https://www.rfc-editor.org/rfc/rfc3339#section-5.6. */
const isDateTime = (text: string): boolean => isDateAnd(text, isTime)
/** Checks a date and time with an optional offset. */
const isIsoDateTime = (text: string): boolean => isDateAnd(text, isIsoTime)

function isDateAnd(text: string, isRest: (time: string) => boolean): boolean {
  const [, date = '', time = ''] = DATE_TIME.exec(text) ?? []
  return isDate(date) && isRest(time)
}

/** https://www.rfc-editor.org/rfc/rfc3339#appendix-A */
const isDuration = (text: string): boolean =>
  /^P(?:(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?|\d+W)$/.test(text)

/** Splits any string into the parts of a URI. See https://www.rfc-editor.org/rfc/rfc3986#appendix-B. */
const URI = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s
const SCHEME = /^[a-z][a-z\d+.-]*$/i
const PATH = /^(?:[\w\-.~!$&'()*+,;=:@/]|%[\da-f]{2})*$/i
const QUERY = /^(?:[\w\-.~!$&'()*+,;=:@/?]|%[\da-f]{2})*$/i
const USER = /^(?:[\w\-.~!$&'()*+,;=:]|%[\da-f]{2})*$/i
const REGISTERED = /^(?:[\w\-.~!$&'()*+,;=]|%[\da-f]{2})*$/i
const FUTURE_IP = /^v[\da-f]+\.[\w\-.~!$&'()*+,;=:]+$/i

/** Checks a URI or a relative reference. See https://www.rfc-editor.org/rfc/rfc3986#section-4.1. */
const isUriReference = (text: string): boolean => {
  const [, scheme, authority, path = '', query = '', fragment = ''] = URI.exec(text) ?? [text, '']
  return (
    (scheme === undefined || SCHEME.test(scheme)) &&
    (authority === undefined || isAuthority(authority)) &&
    // A leading colon would count as an empty scheme.
    !text.startsWith(':') &&
    PATH.test(path) &&
    QUERY.test(query) &&
    QUERY.test(fragment)
  )
}

/** Checks an absolute URI. See https://www.rfc-editor.org/rfc/rfc3986. */
const isUri = (text: string): boolean => /^[^:/?#]+:/.test(text) && isUriReference(text)

function isAuthority(text: string): boolean {
  const at = text.indexOf('@')
  const [, host = ''] = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/.exec(text.slice(at + 1)) ?? [text, '%']
  if (at !== -1 && !USER.test(text.slice(0, at))) return false
  if (!host.startsWith('[')) return REGISTERED.test(host)
  const address = host.slice(1, -1)
  return isIpv6(address) || FUTURE_IP.test(address)
}

/** Checks the URL of a website or a file server. */
const isUrl = (text: string): boolean =>
  /^(?:https?|ftp):\/\/[^\s/?#]/i.test(text) && !/\s/.test(text) && URL.canParse(text)

/** https://www.rfc-editor.org/rfc/rfc6570#section-2 */
const isUriTemplate = (text: string): boolean =>
  /^(?:[^\0-\x20"'%<>\\^`{|}\x7f]|%[\da-f]{2}|\{[+#./;?&=,!@|]?(?:[\w.]|%[\da-f]{2})+(?::[1-9]\d{0,3}|\*)?(?:,(?:[\w.]|%[\da-f]{2})+(?::[1-9]\d{0,3}|\*)?)*\})*$/i.test(
    text,
  )

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/i

/** https://www.rfc-editor.org/rfc/rfc1123#section-2.1 */
function isHostname(text: string): boolean {
  const name = text.endsWith('.') ? text.slice(0, -1) : text
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label))
}

/** Checks an email address, whose host must contain a dot. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  const domain = text.slice(at + 1)
  return (
    at !== -1 &&
    text
      .slice(0, at)
      .split('.')
      .every((atom) => /^[\w!#$%&'*+/=?^`{|}~-]+$/.test(atom)) &&
    domain.includes('.') &&
    domain.split('.').every((label) => LABEL.test(label))
  )
}

const OCTET = /^(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/

/** Checks an IPv4 address: four numbers below 256, without leading zeros. */
function isIpv4(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => OCTET.test(octet))
}

/** The length of the longest IPv6 address. Splitting a string of several megabytes would block the event loop. */
const LONGEST_IPV6 = 'ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255'.length

/** https://www.rfc-editor.org/rfc/rfc4291#section-2.2 */
function isIpv6(text: string): boolean {
  if (text.length > LONGEST_IPV6) return false
  const halves = text.split('::')
  if (halves.length > 2) return false
  const sides = halves.map((half) => (half === '' ? [] : half.split(':')))
  const groups = sides.flat()
  const last = (sides.at(-1) ?? []).at(-1)
  const mapped = last !== undefined && last.includes('.') && isIpv4(last)
  const hexadecimal = mapped ? groups.slice(0, -1) : groups
  const length = hexadecimal.length + (mapped ? 2 : 0)
  return (
    (halves.length === 2 ? length <= 7 : length === 8) &&
    hexadecimal.every((group) => /^[\da-f]{1,4}$/i.test(group))
  )
}

/** https://www.rfc-editor.org/rfc/rfc9562 */
const isUuid = (text: string): boolean =>
  /^(?:urn:uuid:)?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)

/** https://www.rfc-editor.org/rfc/rfc6901 */
const isJsonPointer = (text: string): boolean => /^(?:\/(?:[^~/]|~[01])*)*$/s.test(text)
/** Checks a JSON Pointer in a URI fragment. See https://www.rfc-editor.org/rfc/rfc6901#section-6. */
const isJsonPointerFragment = (text: string): boolean =>
  /^#(?:\/(?:[\w\-.!$&'()*+,;:=@]|%[\da-f]{2}|~[01])*)*$/i.test(text)
/** https://json-schema.org/draft/2020-12/relative-json-pointer */
const isRelativeJsonPointer = (text: string): boolean =>
  /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/s.test(text)

/** Checks a regular expression by compiling it in this runtime. */
function isRegex(text: string): boolean {
  try {
    // oxlint-disable-next-line no-new -- tests whether it compiles
    new RegExp(text)
    return !/[^\\]\\Z/.test(text)
  } catch {
    return false
  }
}

/** Checks padded base64. */
const isByte = (text: string): boolean => text.length % 4 === 0 && /^[a-z\d+/]*={0,2}$/i.test(text)

const INT32 = 2 ** 31
/** Checks a signed 32-bit integer. */
const int32: Format = {
  type: 'number',
  validate: (value) => Number.isInteger(value) && value >= -INT32 && value < INT32,
}
/** Checks an integer. A parsed JSON number can hold only 53 of the 64 bits. */
const int64: Format = { type: 'number', validate: Number.isInteger }

/**
 * The formats that validators check, as a value for ajv's `formats` option. All other formats are treated as
 * annotations.
 */
export const FORMATS: Readonly<Record<string, Format>> = {
  date: isDate,
  time: isTime,
  'date-time': isDateTime,
  'iso-time': isIsoTime,
  'iso-date-time': isIsoDateTime,
  duration: isDuration,
  uri: isUri,
  'uri-reference': isUriReference,
  'uri-template': isUriTemplate,
  url: isUrl,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  regex: isRegex,
  uuid: isUuid,
  'json-pointer': isJsonPointer,
  'json-pointer-uri-fragment': isJsonPointerFragment,
  'relative-json-pointer': isRelativeJsonPointer,
  byte: isByte,
  int32,
  int64,
}
