export { WarrenTestingBroker, WarrenTestingModule } from './warren-testing-module.ts'
