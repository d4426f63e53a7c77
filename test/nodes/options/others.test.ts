import { testEach } from './cells';
import { places } from './places';

testEach(places.filter(({ node }) => node !== 'textGeneration'));
