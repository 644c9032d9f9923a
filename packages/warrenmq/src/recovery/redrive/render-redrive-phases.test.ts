import { expect, test } from 'vitest'
import { redriveArrows } from './redrive-phase.ts'
import { renderRedrivePhases } from './render-redrive-phases.ts'

test('the drawing has every arrow of the table, from its start to its end', () => {
  const drawing = renderRedrivePhases()

  expect(drawing).toMatch(/^stateDiagram-v2\n/)
  expect(drawing.match(/ --> /g)).toHaveLength(redriveArrows.length + 2)
  expect(drawing).toContain('taking --> giving_back: all are seen')
})
