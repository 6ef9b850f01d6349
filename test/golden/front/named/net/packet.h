struct packet { int size; };
