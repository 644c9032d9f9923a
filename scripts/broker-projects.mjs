/** The projects of vitest.config.ts whose tests need a RabbitMQ. */
export const brokerProjects = ['integration', 'faults', 'conformance', 'e2e', 'browser-rabbit']
