import { expect, test } from 'vitest'
import { chooseMediaType } from './choose-media-type.ts'

const json = 'application/json'
const html = 'text/html'
const firefox = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8'

test.each([
  ['of who says nothing', undefined, json],
  ['of who says nothing in the header', '', json],
  ['of a program', '*/*', json],
  ['of a browser', firefox, html],
  ['of who likes pages better', 'application/json;q=0.5, text/html;q=0.9', html],
  ['of who likes any text', 'text/*', html],
  ['of who wants no page', 'text/html;q=0, */*;q=0.1', json],
  ['in capitals', 'TEXT/HTML; Q=1', html],
  ['of who likes both the same', 'text/html, application/json', json],
  ['that nobody can read', ';;,/,a,q=1,text/html;q=2', json],
  ['of who wants a picture', 'image/png', undefined],
  ['of who wants nothing', '*/*;q=0', undefined],
])('the header %s (%s) asks for %s', (_case, accept, expected) => {
  expect(chooseMediaType(accept, [json, html])).toBe(expected)
})
