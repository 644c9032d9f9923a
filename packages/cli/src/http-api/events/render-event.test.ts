import { describe, expect, it } from 'vitest'
import { readPlaces, renderEvent, renderPlaces } from './render-event.ts'

describe('the id of an event', () => {
  it('says where its reader is in each list, and is read again as that', () => {
    const places = new Map([
      ['tasks', 'a1_-'],
      ['dlqs', 'b2'],
    ])

    expect(readPlaces(renderPlaces(places))).toEqual(places)
    expect(renderEvent({ id: renderPlaces(places), name: 'dlqs', data: '{}' })).toBe(
      'id: tasks:a1_-,dlqs:b2\nevent: dlqs\ndata: {}\n\n',
    )
  })

  it.each([undefined, '', 'x', ':', ',,', 'tasks:', ':a', 'tasks:a:b'])(
    'that is %j says nothing, and is no mistake',
    (id) => {
      expect(readPlaces(id).size).toBe(0)
    },
  )
})
